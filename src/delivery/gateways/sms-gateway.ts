import type { ProxyOptions } from '../../config';
import type { Outcome } from '../outcome';
import {
  type Watch,
  ProviderClient,
  type ReachableTransport,
  type SmsMessage,
  type SmsTransport,
} from '../transports/provider-client';
import { AccessTokens } from './access-tokens';
import { AnswerBody, toOutcome } from './answer';
import type { Gateway } from './gateway-file';
import { readReceipts } from './receipts';
import { NO_MESSAGE, RequestMaker } from './request';
import type { FurtherRequest } from './request-schema';

const RECEIPTS = ['receipts', 'request'] as const;
const BALANCE = ['balance'] as const;
/** Needs no escaping, in any type of request. */
const PLAIN_ID = /^[\w.:-]+$/;

/** A gateway that accepts each SMS by one HTTP request. */
export interface SmsGateway extends SmsTransport, ReachableTransport<SmsMessage> {
  /** Returns the account's balance in the gateway's own words; undefined if it is not available. */
  balance(signal: AbortSignal): Promise<string | undefined>;
}

/** @throws SettingError for an unusable description */
export function openGateway(gateway: Gateway, proxy: ProxyOptions, watch?: Watch): SmsGateway {
  const requests = new RequestMaker(gateway);
  const client = new ProviderClient(gateway.connections, proxy, watch);
  const tokens = AccessTokens.of(gateway, client);

  const send = async (message: SmsMessage, signal: AbortSignal): Promise<Outcome> => {
    const access = await tokens?.get(signal);
    if (access !== undefined && access.kind !== 'access') return access;
    const result = await client.ask(requests.make(message, access?.header), signal);
    const isUnauthorized = result.kind === 'response' && result.status === 401;
    if (access === undefined || !isUnauthorized) return toOutcome(gateway, result, message);

    // The token was revoked early, or is invalid. The refused message was not accepted, so it may be sent with a new
    // one.
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

  const { receipts, balance } = gateway;
  // A placeholder that does not exist is an error at start.
  for (const [field, request] of [
    [RECEIPTS, receipts?.request],
    [BALANCE, balance],
  ] as const) {
    if (request !== undefined) furtherRequest(gateway, request, field, []);
  }

  return {
    name: gateway.name,
    rate: gateway.rate,
    idempotent: gateway.idempotent,
    receiptsAtOnce: receipts?.request?.ids,
    send,
    askReceipts: async (providerIds, now, signal) => {
      const ids = providerIds.filter((id) => PLAIN_ID.test(id));
      if (receipts?.request === undefined || ids.length === 0) return [];
      const body = await ask(receipts.request, RECEIPTS, ids, signal);
      return body === undefined ? undefined : readReceipts(gateway.name, receipts, body, now, ids[0]);
    },
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
