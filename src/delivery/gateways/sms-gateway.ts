import type { ProxyOptions } from '../../config';
import type { Outcome } from '../outcome';
import {
  type Watch,
  ProviderClient,
  type ProviderResult,
  type ReachableTransport,
  type SmsMessage,
} from '../transports/provider-client';
import { AccessTokens } from './access-tokens';
import { AnswerBody, outcomeOf } from './answer';
import type { Gateway } from './gateway-file';
import { RequestMaker } from './request';

const NO_MESSAGE: SmsMessage = { id: '', phone: '', text: '', lifeMs: 0 };

/** A gateway that accepts each SMS by one HTTP request. */
export interface SmsGateway extends ReachableTransport<SmsMessage> {
  /** Maximum number of messages per second from all processes, if the gateway has such a limit. */
  readonly rate: number | undefined;
  /** True if a message that may have been sent can safely be repeated. */
  readonly idempotent: boolean;
  /** Returns the account's balance in the gateway's own words; undefined if it is not available. */
  balance(signal: AbortSignal): Promise<string | undefined>;
}

/** @throws SettingError for an unusable description */
export function openGateway(gateway: Gateway, proxy: ProxyOptions, watch?: Watch): SmsGateway {
  const requests = new RequestMaker(gateway);
  const client = new ProviderClient(gateway.connections, proxy, watch);
  const tokens = AccessTokens.of(gateway, client);

  const send = async (message: SmsMessage, signal: AbortSignal): Promise<Outcome> => {
    const token = await tokens?.get(signal);
    if (typeof token === 'object') return token;
    const result = await client.ask(requests.make(message, token), signal);
    if (token === undefined || !isUnauthorized(result)) return outcomeOf(gateway, result, message);

    // The token was revoked early, or is invalid. The refused message was not accepted, so it may be sent with a new
    // one.
    tokens?.forget(token);
    const next = await tokens?.get(signal);
    if (typeof next === 'object') return next;
    return outcomeOf(gateway, await client.ask(requests.make(message, next), signal), message);
  };
  const bearer = async (signal: AbortSignal): Promise<string | undefined> => {
    const token = await tokens?.get(signal);
    return typeof token === 'object' ? undefined : token;
  };

  return {
    name: gateway.name,
    rate: gateway.rate,
    idempotent: gateway.idempotent,
    send,
    balance: async (signal) => {
      if (gateway.balance === undefined) return undefined;
      const { value, ...request } = gateway.balance;
      const asked = new RequestMaker({ ...gateway, ...request }).make(NO_MESSAGE, await bearer(signal));
      const result = await client.ask(asked, signal);
      return result.kind === 'response' && result.body !== undefined
        ? new AnswerBody(result.body).find(value)
        : undefined;
    },
    reach: (withinMs) => client.reach(requests.address, withinMs),
    close: () => client.close(),
  };
}

function isUnauthorized(result: ProviderResult): boolean {
  return result.kind === 'response' && result.status === 401;
}
