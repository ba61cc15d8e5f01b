import { createPrivateKey } from 'node:crypto';

import type { JWT } from 'google-auth-library';
import { z } from 'zod';

import { parseJson, readOperatorFile, SettingError } from '../../config';

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

/** Access tokens of a service account, each kept until shortly before its end. */
export class FcmAccess {
  readonly #account: ServiceAccount;
  readonly #tokenUrl: string;
  /** Only who sends through FCM loads the library. */
  #client: Promise<JWT>;

  constructor(account: ServiceAccount, tokenUrl: string) {
    this.#account = account;
    this.#tokenUrl = tokenUrl;
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

  async #newClient(): Promise<JWT> {
    const { JWT } = await import('google-auth-library');
    const { client_email: email, private_key: key } = this.#account;
    return new JWT({
      email,
      key,
      scopes: [SCOPE],
      transporterOptions: {
        // The library knows one address only.
        fetchImplementation: (_input, init) => fetch(this.#tokenUrl, init),
      },
    });
  }
}
