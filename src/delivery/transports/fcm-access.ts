import { createPrivateKey } from 'node:crypto';

import type { JWT } from 'google-auth-library';
import { z } from 'zod';

import { parseJson, type ProxyOptions, readOperatorFile, SettingError } from '../../config';
import { ProviderClient, type ProviderRequest } from './provider-client';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

const KEY_FILE = z.object({
  type: z.literal('service_account'),
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  private_key: z.string().refine(isPrivateKey),
});

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

export type ServiceAccount = z.output<typeof KEY_FILE>;

/** @throws OperatorError, which holds nothing of the file's contents */
export function readServiceAccount(path: string): ServiceAccount {
  const file = readOperatorFile(path, 'FCM_SERVICE_ACCOUNT');
  const result = KEY_FILE.safeParse(parseJson(file));
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({ path: [name] }) => String(name)).join(', ');
  throw new SettingError(`The file ${file.name} is no service account: look at ${wrong}.`);
}

/** The server of access tokens did not answer; the message says why, without personal data and secrets. */
class AccessFailure extends Error {
  override readonly name = 'AccessFailure';
}

/** Returns why the server of access tokens did not answer, where that is what an error comes from. */
export function accessFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error instanceof AccessFailure ? error.message.replace(/\.$/, '') : accessFailure(error.cause);
}

/** Callers stop waiting earlier; a server that never answers must not keep the next one from asking again. */
const LONGEST_TOKEN_MS = 60_000;

/** Access tokens of a service account, each kept until shortly before its end. */
export class FcmAccess {
  readonly #account: ServiceAccount;
  readonly #tokenUrl: string;
  readonly #asking: ProviderClient;
  /** Only who sends through FCM loads the library. */
  #client: Promise<JWT>;

  constructor(account: ServiceAccount, tokenUrl: string, proxy: ProxyOptions) {
    this.#account = account;
    this.#tokenUrl = tokenUrl;
    this.#asking = new ProviderClient(1, proxy);
    this.#client = this.#newClient();
  }

  /** Rejects where no token is to be had, or when the signal is aborted. */
  async token(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener(
        'abort',
        () => {
          reject(new Error('aborted'));
        },
        { once: true },
      );
    });
    const asked = this.#client.then((client) => client.getAccessToken());
    const { token } = await Promise.race([asked, aborted]);
    if (typeof token !== 'string' || token === '') throw new Error('no token');
    return token;
  }

  /** The provider refused the token: the next one is asked for anew. */
  discardToken(): void {
    this.#client = this.#newClient();
  }

  async close(): Promise<void> {
    await this.#asking.close();
  }

  async #askForToken({ headers, body }: RequestInit): Promise<Response> {
    const request: ProviderRequest = {
      url: this.#tokenUrl,
      method: 'POST',
      headers: Object.fromEntries(new Headers(headers)),
      // The library sends its assertion as a form.
      body: await new Response(body ?? null).text(),
    };
    const result = await this.#asking.ask(request, AbortSignal.timeout(LONGEST_TOKEN_MS));
    if (result.kind !== 'response') throw new AccessFailure(result.reason);
    const { status, body: answer = '' } = result;
    const type = answer.startsWith('{') ? 'application/json' : 'text/plain';
    return new Response(answer, { status, headers: { 'Content-Type': type } });
  }

  async #newClient(): Promise<JWT> {
    const { JWT } = await import('google-auth-library');
    const { client_email: email, private_key: key } = this.#account;
    return new JWT({
      email,
      key,
      scopes: [SCOPE],
      transporterOptions: {
        // The library knows one address only.
        fetchImplementation: (_input, init = {}) => this.#askForToken(init),
        // The proxy is not the library's business, which would take it from the environment.
        noProxy: [/^/],
      },
    });
  }
}
