import * as z from 'zod';

import type { ProxyOptions } from '../../config';
import type { Outcome } from '../outcome';
import { isSuccess, ProviderClient, type ProviderRequest, type Watch } from '../transports/provider-client';
import type { ReachableTransport, SmsMessage, SmsTransport } from '../transports/transport';
import { AnswerBody, toOutcome } from './answer';
import type { Gateway } from './gateway-file';
import { fixedText, NO_MESSAGE, refuseOddUrl, RequestMaker } from './request';
import type { AnswerPlace, Authorization, FurtherRequest } from './request-schema';

const RECEIPTS = ['receipts', 'request'] as const;
const BALANCE = ['balance'] as const;

export interface SmsGateway extends SmsTransport, ReachableTransport<SmsMessage> {
  /** Returns the account's balance in the gateway's own words; undefined if it is not available. */
  balance(signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Checks every template of a gateway: one that is seldom used must not fail months later.
 *
 * @throws SettingError for an unusable description
 */
export function checkGateway(gateway: Gateway): void {
  new RequestMaker(gateway);
  rulesForTokens(gateway);
  for (const [field, request] of [
    [RECEIPTS, gateway.awaited?.request],
    [BALANCE, gateway.balance],
  ] as const) {
    if (request !== undefined) furtherRequest(gateway, request, field, []);
  }
}

/** @throws SettingError for an unusable description */
export function openGateway(gateway: Gateway, proxy: ProxyOptions, watch?: Watch): SmsGateway {
  checkGateway(gateway);
  const requests = new RequestMaker(gateway);
  const connections = { maximum: gateway.connections, areReused: gateway.idempotent };
  const client = new ProviderClient(connections, proxy, watch);
  const tokens = AccessTokens.of(gateway, client);

  const send = async (message: SmsMessage, signal: AbortSignal): Promise<Outcome> => {
    const access = await tokens?.get(signal);
    if (access !== undefined && access.kind !== 'access') return access;
    const result = await client.ask(requests.make(message, access?.header), signal);
    const isUnauthorized = result.kind === 'response' && result.status === 401;
    if (access === undefined || !isUnauthorized) return toOutcome(gateway, result, message);

    // The token was revoked early, or is invalid. The refused message was not accepted, so it may be sent
    // with a new one.
    tokens?.forget(access);
    const next = await tokens?.get(signal);
    if (next?.kind !== 'access') return next ?? toOutcome(gateway, result, message);
    return toOutcome(gateway, await client.ask(requests.make(message, next.header), signal), message);
  };
  /** Returns the body of a successful answer. */
  const ask = async (
    request: FurtherRequest,
    field: readonly string[],
    providerIds: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const access = await tokens?.get(signal);
    const header = access?.kind === 'access' ? access.header : undefined;
    const asked = furtherRequest(gateway, request, field, providerIds).make(NO_MESSAGE, header);
    const result = await client.ask(asked, signal);
    return result.kind === 'response' && result.status < 300 ? result.body : undefined;
  };

  const { awaited, balance } = gateway;
  const { request } = awaited ?? {};
  return {
    name: gateway.name,
    rate: gateway.rate,
    idempotent: gateway.idempotent,
    asked: request && { gateway, ask: (providerIds, signal) => ask(request, RECEIPTS, providerIds, signal) },
    send,
    balance: async (signal) => {
      const body = balance && (await ask(balance, BALANCE, [], signal));
      return body === undefined ? undefined : new AnswerBody(body).find(balance?.value);
    },
    reach: (withinMs) => client.reach(requests.address, withinMs),
    close: () => client.close(),
  };
}

function furtherRequest(
  gateway: Gateway,
  request: FurtherRequest,
  field: readonly string[],
  ids: readonly string[],
): RequestMaker {
  const text = JSON.stringify(request)
    .replaceAll('["{providerIds}"]', JSON.stringify(ids))
    .replaceAll('{providerIds}', ids.join(','));
  // The same type, with ids in its texts.
  const own = JSON.parse(text) as typeof request;
  return new RequestMaker({ ...gateway, ...own, where: (...each) => gateway.where(...field, ...each) });
}

/** Time before its expiry at which a token is renewed; at most half of its lifetime. */
const RENEWED_BEFORE_MS = 60_000;
/** Lifetime of a token if its server does not give one. */
const USUAL_LIFE_SECONDS = 300;

type AuthorizationOf<Type extends Authorization['type']> = Extract<Authorization, { readonly type: Type }>;

/** Describes how a gateway's access tokens are requested, read and used. */
interface TokenRules {
  readonly request: () => ProviderRequest;
  readonly token: readonly AnswerPlace[];
  /** Lifetime of a token if the answer does not give one. */
  readonly lifeSeconds: number;
  readonly header: (token: string) => Readonly<Record<string, string>>;
}

interface Access {
  readonly kind: 'access';
  readonly header: Readonly<Record<string, string>>;
}

/** Access tokens of a gateway, by OAuth client credentials (RFC 6749, section 4.4) or a login of its own. */
export class AccessTokens {
  readonly #rules: TokenRules;
  readonly #client: ProviderClient;
  readonly #gateway: string;
  #access: { readonly access: Access; readonly until: number } | undefined;
  #asking: Promise<Access | Outcome> | undefined;

  private constructor(gateway: Gateway, rules: TokenRules, client: ProviderClient) {
    this.#client = client;
    this.#gateway = gateway.name;
    this.#rules = rules;
  }

  /** Returns undefined for a gateway without access tokens. */
  static of(gateway: Gateway, client: ProviderClient): AccessTokens | undefined {
    const rules = rulesForTokens(gateway);
    return rules && new AccessTokens(gateway, rules, client);
  }

  /** Returns access, or the outcome of the message without it. Concurrent calls share one request. */
  async get(signal: AbortSignal): Promise<Access | Outcome> {
    if (this.#access !== undefined && Date.now() < this.#access.until) return this.#access.access;
    this.#asking ??= this.#ask(signal).finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  /** Discards a token that the gateway refused. */
  forget(access: Access): void {
    if (this.#access?.access === access) this.#access = undefined;
  }

  async #ask(signal: AbortSignal): Promise<Access | Outcome> {
    const result = await this.#client.ask(this.#rules.request(), signal);
    // The message itself was not sent yet.
    if (result.kind !== 'response') return { kind: 'failing', reason: result.reason };
    const { status, body = '', retryAfterMs } = result;
    const said = { status, gateway: this.#gateway, meaning: 'no access token' };
    const answer = new AnswerBody(body);
    const token = isSuccess(result) ? answer.find(this.#rules.token) : undefined;
    if (token !== undefined) {
      const given = z.coerce
        .number()
        .positive()
        .safeParse(answer.find([{ json: '/expires_in' }])).data;
      const lifeMs = (given ?? this.#rules.lifeSeconds) * 1000;
      const access: Access = { kind: 'access', header: this.#rules.header(token) };
      this.#access = { access, until: Date.now() + Math.max(lifeMs / 2, lifeMs - RENEWED_BEFORE_MS) };
      return access;
    }
    return status >= 400 && status < 500 && status !== 429
      ? { kind: 'stopped', reason: { code: 'account_stopped', ...said }, status }
      : { kind: 'failing', reason: { code: 'provider_failing', ...said }, retryAfterMs, status };
  }
}

function rulesForTokens(gateway: Gateway): TokenRules | undefined {
  const { authorization } = gateway;
  if (authorization?.type === 'oauth') return oauthRules(gateway, authorization);
  if (authorization?.type === 'login') return loginRules(gateway, authorization);
  return undefined;
}

function oauthRules(
  gateway: Gateway,
  { tokenUrl, clientId, clientSecret, scope, credentialsIn }: AuthorizationOf<'oauth'>,
): TokenRules {
  const fixed = (text: string): string => fixedText(gateway, ['authorization'], text);
  const [id, secret, url] = [fixed(clientId), fixed(clientSecret), fixed(tokenUrl)];
  refuseOddUrl(gateway.where('authorization', 'tokenUrl'), url);
  const inHeader = credentialsIn === 'header';
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope: fixed(scope) }),
    ...(!inHeader && { client_id: id, client_secret: secret }),
  });
  return {
    request: () => ({
      url,
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/json',
        ...(inHeader && { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
      },
      body: form.toString(),
    }),
    token: [{ json: '/access_token' }],
    lifeSeconds: USUAL_LIFE_SECONDS,
    header: (token) => ({ Authorization: `Bearer ${token}` }),
  };
}

function loginRules(gateway: Gateway, login: AuthorizationOf<'login'>): TokenRules {
  const requests = new RequestMaker({
    ...gateway,
    ...login.request,
    authorization: undefined,
    where: (...field) => gateway.where('authorization', 'request', ...field),
  });
  return {
    ...login,
    request: () => requests.make(NO_MESSAGE),
    header: (token) => ({ [login.name]: login.value.replace('{accessToken}', () => token) }),
  };
}
