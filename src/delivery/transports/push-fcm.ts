import type { ProxyOptions } from '../../config';
import type { Outcome } from '../outcome';
import type { PushMessage, ReachableTransport } from './transport';
import { accessFailure, FcmAccess, type ServiceAccount } from './fcm-access';
import {
  failureOutcome,
  isSuccess,
  type OnResponse,
  ProviderClient,
  type ProviderResult,
} from './provider-client';

export interface FcmOptions {
  readonly account: ServiceAccount;
  /** Without a slash at the end. */
  readonly url: string;
  readonly tokenUrl: string;
  readonly connections: number;
  readonly proxy: ProxyOptions;
  readonly onResponse?: OnResponse | undefined;
}

/** A message may have 4,096 bytes in all. */
const MOST_BODY_BYTES = 3000;
const MOST_TITLE_BYTES = 500;

/** Firebase Cloud Messaging, HTTP v1. */
export function pushFcmTransport({
  account,
  url,
  tokenUrl,
  connections,
  proxy,
  onResponse,
}: FcmOptions): ReachableTransport<PushMessage> {
  const client = new ProviderClient(connections, proxy, onResponse);
  const access = new FcmAccess(account, tokenUrl, proxy);
  const address = `${url.replace(/(?<!\/)\/+$/, '')}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`;
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
          body: JSON.stringify(requestBody(message)),
          trace: message.trace,
        },
        signal,
      );
      if (result.kind === 'response' && result.status === 401) access.discardToken();
      return outcomeOf(result);
    },
    reach: async (withinMs) => {
      try {
        await access.token(AbortSignal.timeout(withinMs));
      } catch (error) {
        return { isReached: false, what: noToken(error) };
      }
      const { isReached, what } = await client.reach(address, withinMs);
      return { isReached, what: isReached ? `an access token, and ${what}` : what };
    },
    close: async () => {
      await Promise.all([client.close(), access.close()]);
    },
  };
}

/** The message's id makes a second copy take the place of the first on the telephone. */
function requestBody({ id, token, title, body, data }: PushMessage) {
  return {
    message: {
      token,
      notification: { title: cut(title, MOST_TITLE_BYTES), body: cut(body, MOST_BODY_BYTES) },
      data: { ...data, messageId: id },
      android: { collapse_key: id, notification: { tag: id } },
      apns: { headers: { 'apns-collapse-id': id } },
      webpush: { notification: { tag: id } },
    },
  };
}

function outcomeOf(result: ProviderResult): Outcome {
  if (result.kind !== 'response') return failureOutcome(result);
  const { status, body = '' } = result;
  if (isSuccess(result)) {
    return { kind: 'sent', providerId: /"name"\s*:\s*"([^"]{1,256})"/.exec(body)?.[1], status };
  }
  const code = /"errorCode"\s*:\s*"([A-Z_]{1,40})"/.exec(body)?.[1];
  const detail = code ?? /"status"\s*:\s*"([A-Z_]{1,40})"/.exec(body)?.[1] ?? '';
  if (status === 404 && code === 'UNREGISTERED') {
    return { kind: 'dead-token', reason: 'FCM answered 404 UNREGISTERED: the device is gone.', status };
  }
  // The token had come to its end, or been taken back; the next attempt has a new one.
  if (status === 401)
    return { kind: 'failing', reason: 'FCM answered 401: it refuses the access token.', status };
  return failureOutcome(result, detail);
}

/** Cut between characters, where FCM would refuse the whole message. */
function cut(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const bytes = Buffer.from(text).subarray(0, mostBytes - Buffer.byteLength('…'));
  // A character that is cut in two ends as U+FFFD.
  return `${bytes.toString('utf8').replace(/(?<!\uFFFD)\uFFFD+$/, '')}…`;
}

function noToken(error: unknown): string {
  const why = accessFailure(error) ?? answeredStatus(error);
  return `There is no access token for FCM${why === undefined ? '' : ` (${why})`}.`;
}

function answeredStatus(error: unknown): string | undefined {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? `its server answered ${String(status)}` : undefined;
}
