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

/** A gateway that takes each SMS with one HTTP request. */
export interface SmsGateway extends ReachableTransport<SmsMessage> {
  /** Messages a second over all processes, where the gateway has such a limit. */
  readonly rate: number | undefined;
  /** Says whether a message that may have been sent may be sent again. */
  readonly idempotent: boolean;
  /** Returns what the account has left, as the gateway writes it; undefined where that cannot be found out. */
  balance(signal: AbortSignal): Promise<string | undefined>;
}

/** @throws SettingError for a description that cannot be used */
export function openGateway(gateway: Gateway, proxy: ProxyOptions, watch?: Watch): SmsGateway {
  const requests = new RequestMaker(gateway);
  const client = new ProviderClient(gateway.connections, proxy, watch);
  const tokens = AccessTokens.of(gateway, client);

  const send = async (message: SmsMessage, signal: AbortSignal): Promise<Outcome> => {
    const token = await tokens?.get(signal);
    if (typeof token === 'object') return token;
    const result = await client.ask(requests.make(message, token), signal);
    if (token === undefined || !isUnauthorized(result)) return outcomeOf(gateway, result, message);

    // The token was revoked before its end, or is no good. What is refused so was not taken: it may go with a new one.
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
