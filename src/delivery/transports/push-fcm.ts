import { createPrivateKey } from 'node:crypto';

import type { JWT } from 'google-auth-library';
import * as z from 'zod';

import { parseJson, type ProxyOptions, readOperatorFile, SettingError } from '../../config';
import { type Reason, reasonText } from '../../store';
import { tryTo } from '../../support/errors';
import type { Outcome } from '../outcome';
import {
  isSuccess,
  ProviderClient,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderResult,
  type Watch,
} from './provider-client';
import type { PushMessage, ReachableTransport } from './transport';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

const KEY_FILE = z.object({
  type: z.literal('service_account'),
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  private_key: z.string().refine(isPrivateKey),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
  /** Base URL of FCM, which Google's files do not contain: for a stand-in. */
  fcm_url: z.url({ protocol: /^https?$/ }).default('https://fcm.googleapis.com'),
});

function isPrivateKey(text: string): boolean {
  return tryTo(() => createPrivateKey(text))?.asymmetricKeyType === 'rsa';
}

type ServiceAccount = z.output<typeof KEY_FILE>;

/** @throws OperatorError, which contains nothing of the file's contents */
export function readServiceAccount(path: string): ServiceAccount {
  const file = readOperatorFile(path, 'FCM_SERVICE_ACCOUNT');
  const result = KEY_FILE.safeParse(parseJson(file));
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({ path: [name] }) => String(name)).join(', ');
  throw new SettingError(`The file ${file.name} is not a service account key: check ${wrong}.`);
}

/** Thrown when the server of access tokens did not answer. */
class AccessFailure extends Error {
  override readonly name = 'AccessFailure';

  constructor(readonly reason: Reason) {
    super();
  }
}

/** Returns the reason of a failed access token request, if that caused an error. */
function accessFailure(error: unknown): Reason | undefined {
  if (!(error instanceof Error)) return undefined;
  return error instanceof AccessFailure ? error.reason : accessFailure(error.cause);
}

/**
 * Time limit of a token request. Callers stop waiting earlier; a server that never answers must not block the
 * next request.
 */
const LONGEST_TOKEN_MS = 60_000;

/** Access tokens of a service account, each kept until shortly before it expires. */
class FcmAccess {
  readonly #account: ServiceAccount;
  readonly #asking: ProviderClient;
  /** The library is only loaded to send through FCM. */
  #client: Promise<JWT>;

  constructor(account: ServiceAccount, proxy: ProxyOptions) {
    this.#account = account;
    this.#asking = new ProviderClient({ maximum: 1, areReused: true }, proxy);
    this.#client = this.#newClient();
  }

  /** Rejects if no token is available, or when the signal is aborted. */
  async token(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
    const asked = this.#client.then((client) => client.getAccessToken());
    const { token } = await Promise.race([asked, aborted]);
    if (typeof token !== 'string' || token === '') throw new Error('no token');
    return token;
  }

  /** Discards a token that the provider refused. */
  discardToken(): void {
    this.#client = this.#newClient();
  }

  async close(): Promise<void> {
    await this.#asking.close();
  }

  async #askForToken({ headers, body }: RequestInit): Promise<Response> {
    const request: ProviderRequest = {
      url: this.#account.token_uri,
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
        // The library only knows a fixed address.
        fetchImplementation: (_input, init = {}) => this.#askForToken(init),
        // Keeps the library from using the environment's proxy.
        noProxy: [/^/],
      },
    });
  }
}

/** The phone's system shows a `notification`; only the app gets `data`. */
type PushContent = 'notification' | 'data';

interface FcmOptions {
  readonly account: ServiceAccount;
  readonly content: PushContent;
  readonly connections: number;
  readonly proxy: ProxyOptions;
  readonly watch?: Watch | undefined;
}

const MAX_TITLE_BYTES = 500;
const MAX_BODY_BYTES = 3000;
/**
 * Maximum size of the texts and the data, in bytes of JSON; FCM and Apple accept 4,096 with keys of their
 * own.
 */
const MAX_PAYLOAD_BYTES = 4000;

/** Firebase Cloud Messaging, HTTP v1. */
export function pushFcmTransport({
  account,
  content,
  connections,
  proxy,
  watch,
}: FcmOptions): ReachableTransport<PushMessage> {
  // A second push message replaces the first one on the phone, so each may be sent again.
  const client = new ProviderClient({ maximum: connections, areReused: true }, proxy, watch);
  const access = new FcmAccess(account, proxy);
  /** The last access token that FCM has not refused. */
  let accepted: string | undefined;
  const base = account.fcm_url.replace(/(?<!\/)\/+$/, '');
  const address = `${base}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`;
  return {
    name: 'fcm',
    send: async (message, signal) => {
      let token: string;
      try {
        token = await access.token(signal);
      } catch (error) {
        return { kind: 'failing', reason: noToken(error) };
      }
      const result = await client.ask(
        {
          url: address,
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify({
            message: content === 'data' ? dataMessage(message) : notification(message),
          }),
          trace: message.trace,
        },
        signal,
      );
      const outcome = toOutcome(result);
      if (outcome.kind === 'failing' && outcome.reason.code === 'access_token_refused') {
        access.discardToken();
        // A token that worked has expired or was revoked; a new one that is refused is the project's fault.
        return token === accepted ? outcome : { ...outcome, kind: 'stopped' };
      }
      if (outcome.kind !== 'failing' && outcome.kind !== 'unknown') accepted = token;
      return outcome;
    },
    reach: async (withinMs) => {
      try {
        await access.token(AbortSignal.timeout(withinMs));
      } catch (error) {
        return { isReached: false, what: reasonText(noToken(error)) };
      }
      const { isReached, what } = await client.reach(address, withinMs);
      return { isReached, what: isReached ? `an access token, and ${what}` : what };
    },
    close: async () => {
      await Promise.all([client.close(), access.close()]);
    },
  };
}

/**
 * Returns a message that the phone's system shows. Its id makes a second copy replace the first one on the
 * phone. No `collapse_key`: FCM keeps four per device, and a phone that was off would get four notes of ten.
 * At the default priority an idle phone gets a note late, and without an expiry FCM keeps it for four weeks.
 */
function notification(message: PushMessage) {
  const { id, token, data, lifeMs, expiresAt } = message;
  const ttl = lifeSeconds(lifeMs);
  return {
    token,
    notification: fittingTexts(message),
    data: { ...data, messageId: id },
    android: { priority: 'HIGH', ttl: `${ttl}s`, notification: { tag: id } },
    apns: {
      headers: {
        'apns-collapse-id': id,
        'apns-expiration': String(Math.floor(expiresAt / 1000)),
        'apns-priority': '10',
      },
    },
    webpush: { headers: { TTL: ttl, Urgency: 'high' }, notification: { tag: id } },
  };
}

/**
 * Returns a message that wakes the app, which shows it or not. Apple accepts such a message only in the
 * background and with priority 5.
 */
function dataMessage(message: PushMessage) {
  const { id, token, data, lifeMs, expiresAt } = message;
  const ttl = lifeSeconds(lifeMs);
  return {
    token,
    data: { ...data, ...fittingTexts(message), messageId: id },
    android: { priority: 'HIGH', ttl: `${ttl}s` },
    apns: {
      headers: {
        'apns-push-type': 'background',
        'apns-expiration': String(Math.floor(expiresAt / 1000)),
        'apns-priority': '5',
      },
      payload: { aps: { 'content-available': 1 } },
    },
    webpush: { headers: { TTL: ttl, Urgency: 'high' } },
  };
}

function lifeSeconds(lifeMs: number): string {
  return String(Math.max(0, Math.floor(lifeMs / 1000)));
}

/** Schema of FCM's error (google.rpc.Status with FcmError and BadRequest). */
const FCM_ERROR = z.object({
  error: z.object({
    status: z.string().optional(),
    message: z.string().default(''),
    details: z
      .array(
        z.object({
          errorCode: z.string().optional(),
          fieldViolations: z.array(z.object({ field: z.string().default('') })).optional(),
        }),
      )
      .default([]),
  }),
});

interface FcmError {
  /** FCM's own code, or Google's status. */
  readonly code: string | undefined;
  /** May contain a token, so it is matched but never stored. */
  readonly message: string;
  /** Fields of the request that it names. */
  readonly fields: readonly string[];
}

function readError(body: string): FcmError {
  const { data } = FCM_ERROR.safeParse(tryTo((): unknown => JSON.parse(body)));
  const { status, message = '', details = [] } = data?.error ?? {};
  const code = details.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? status;
  return {
    code: code !== undefined && /^[A-Z_]{1,40}$/.test(code) ? code : undefined,
    message,
    fields: details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)),
  };
}

/** Name of the token in the errors of FCM. */
const TOKEN_FIELD = 'message.token';
/** Statuses of a late or early request, which may succeed later (RFC 9110 and 8470). */
const TRY_LATER: readonly number[] = [408, 425];
/** Pause if FCM requests one without a duration. */
const QUOTA_PAUSE_MS = 60_000;

function toOutcome(result: ProviderResult): Outcome {
  if (result.kind === 'not-written') return { kind: 'failing', reason: result.reason };
  if (result.kind === 'no-response') return { kind: 'unknown', reason: result.reason };
  const { status, body = '' } = result;
  if (isSuccess(result)) {
    return { kind: 'sent', providerId: /"name"\s*:\s*"([^"]{1,256})"/.exec(body)?.[1], status };
  }
  return errorOutcome(result, readError(body));
}

/** Implements https://firebase.google.com/docs/cloud-messaging/error-codes, and further observed answers. */
function errorOutcome(result: ProviderResponse, { code, message, fields }: FcmError): Outcome {
  const { status, retryAfterMs } = result;
  const answer = { status, detail: code };
  if (status === 404 && code === 'UNREGISTERED') {
    return { kind: 'dead-token', reason: { code: 'token_dead', ...answer }, status };
  }
  // For an invalid token, not for another field of ours.
  const isAboutToken =
    fields.length === 0 ? /registration token/i.test(message) : fields.every((each) => each === TOKEN_FIELD);
  if (status === 400 && code === 'INVALID_ARGUMENT' && isAboutToken) {
    return { kind: 'dead-token', reason: { code: 'token_dead', ...answer }, status };
  }
  if (status === 403 && code === 'SENDER_ID_MISMATCH') {
    return { kind: 'foreign-token', reason: { code: 'sender_mismatch' }, status };
  }
  // FCM's key for Apple is wrong; Android devices still get their messages.
  if (status === 401 && code === 'THIRD_PARTY_AUTH_ERROR') {
    return { kind: 'later', reason: { code: 'platform_credentials_rejected' }, status };
  }
  if (status === 401) return { kind: 'failing', reason: { code: 'access_token_refused' }, status };
  // The account must not send: no message can, until that is corrected.
  if (status === 403) return { kind: 'stopped', reason: { code: 'account_stopped', ...answer }, status };
  if (status === 429 && /\bdevice\b/i.test(message)) {
    return {
      kind: 'later',
      reason: { code: 'device_busy' },
      retryAfterMs: retryAfterMs ?? QUOTA_PAUSE_MS,
      status,
    };
  }
  if (status === 429) {
    const pause = retryAfterMs ?? QUOTA_PAUSE_MS;
    return { kind: 'busy', reason: { code: 'provider_busy', ...answer }, retryAfterMs: pause, status };
  }
  if (status >= 500 || TRY_LATER.includes(status))
    return { kind: 'failing', reason: { code: 'provider_failing', ...answer }, retryAfterMs, status };
  return { kind: 'refused', reason: { code: 'provider_rejected', ...answer }, status };
}

/** Shortens the body, and then the title, until they fit into a message together with the data. */
function fittingTexts({ id, title, body, data }: PushMessage): {
  readonly title: string;
  readonly body: string;
} {
  const texts = { title: cut(title, MAX_TITLE_BYTES), body: cut(body, MAX_BODY_BYTES) };
  for (const name of ['body', 'title'] as const) {
    for (;;) {
      const bytes = Buffer.byteLength(JSON.stringify({ ...data, ...texts, messageId: id }));
      if (bytes <= MAX_PAYLOAD_BYTES || texts[name] === '') break;
      // JSON escapes some characters, so that a byte of the text may be several.
      const plain = Buffer.byteLength(texts[name]);
      const fits = 1 - (bytes - MAX_PAYLOAD_BYTES) / Buffer.byteLength(JSON.stringify(texts[name]));
      texts[name] = cut(texts[name], Math.min(plain - 1, Math.floor(plain * fits)));
    }
  }
  return texts;
}

/** Truncates between characters, because FCM would refuse an invalid text. */
function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  if (maxBytes < Buffer.byteLength('…')) return '';
  const bytes = Buffer.from(text).subarray(0, maxBytes - Buffer.byteLength('…'));
  // A truncated character ends as U+FFFD.
  return `${bytes.toString('utf8').replace(/(?<!\uFFFD)\uFFFD+$/, '')}…`;
}

/**
 * OAuth's error for an assertion that is too early or late, or signed with an unknown key (RFC 6749, section
 * 5.2).
 */
const INVALID_GRANT = 'invalid_grant' as const;
const TOKEN_ERROR = z.object({ response: z.object({ data: z.object({ error: z.literal(INVALID_GRANT) }) }) });

function noToken(error: unknown): Reason {
  const detail = TOKEN_ERROR.safeParse(error).success ? { detail: INVALID_GRANT } : {};
  const status = answeredStatus(error);
  return { code: 'access_token_missing', cause: accessFailure(error), status, ...detail };
}

function answeredStatus(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}
