import { z } from 'zod';

import type { Outcome } from '../outcome';
import { isSuccess, type ProviderClient, type ProviderRequest } from '../transports/provider-client';
import type { Gateway } from './gateway-file';
import type { Authorization } from './gateway-schema';
import { fixedText } from './request';

/** Time before its expiry at which a token is renewed; at most half of its lifetime. */
const RENEWED_BEFORE_MS = 60_000;
/** Lifetime of a token if its server does not give one. */
const USUAL_LIFE_SECONDS = 300;

const ANSWER = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().default(USUAL_LIFE_SECONDS),
});

type OAuth = Extract<Authorization, { readonly type: 'oauth' }>;

/** Access token of a gateway with OAuth client credentials (RFC 6749, section 4.4). */
export class AccessTokens {
  readonly #request: ProviderRequest;
  readonly #client: ProviderClient;
  readonly #gateway: string;
  #token: { readonly text: string; readonly until: number } | undefined;
  #asking: Promise<string | Outcome> | undefined;

  private constructor(gateway: Gateway, oauth: OAuth, client: ProviderClient) {
    this.#client = client;
    this.#gateway = gateway.name;
    this.#request = tokenRequest(gateway, oauth);
  }

  /** Returns undefined for a gateway without access tokens. */
  static of(gateway: Gateway, client: ProviderClient): AccessTokens | undefined {
    const { authorization } = gateway;
    return authorization?.type === 'oauth' ? new AccessTokens(gateway, authorization, client) : undefined;
  }

  /** Returns a token, or the outcome of the message without one. Concurrent calls share one request. */
  async get(signal: AbortSignal): Promise<string | Outcome> {
    if (this.#token !== undefined && Date.now() < this.#token.until) return this.#token.text;
    this.#asking ??= this.#ask(signal).finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  /** Discards a token that the gateway refused. */
  forget(token: string): void {
    if (this.#token?.text === token) this.#token = undefined;
  }

  async #ask(signal: AbortSignal): Promise<string | Outcome> {
    const result = await this.#client.ask(this.#request, signal);
    // The message itself was not sent yet.
    if (result.kind !== 'response') return { kind: 'failing', reason: result.reason };
    const { status, body = '', retryAfterMs } = result;
    const said = { status, gateway: this.#gateway, meaning: 'no access token' };
    const answer = isSuccess(result) ? ANSWER.safeParse(parsed(body)).data : undefined;
    if (answer !== undefined) {
      const lifeMs = answer.expires_in * 1000;
      this.#token = {
        text: answer.access_token,
        until: Date.now() + Math.max(lifeMs / 2, lifeMs - RENEWED_BEFORE_MS),
      };
      return answer.access_token;
    }
    return status >= 400 && status < 500 && status !== 429
      ? { kind: 'stopped', reason: { code: 'account_stopped', ...said }, status }
      : { kind: 'failing', reason: { code: 'provider_failing', ...said }, retryAfterMs, status };
  }
}

function tokenRequest(
  gateway: Gateway,
  { tokenUrl, clientId, clientSecret, scope, credentialsIn }: OAuth,
): ProviderRequest {
  const fixed = (text: string): string => fixedText(gateway, 'authorization', text);
  const [id, secret] = [fixed(clientId), fixed(clientSecret)];
  const inHeader = credentialsIn === 'header';
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope: fixed(scope) }),
    ...(!inHeader && { client_id: id, client_secret: secret }),
  });
  return {
    url: fixed(tokenUrl),
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
      ...(inHeader && { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
    },
    body: form.toString(),
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
