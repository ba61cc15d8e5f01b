import type { CountryCode } from 'libphonenumber-js/min';

import { MESSAGE_PRIORITY, type Store } from '../store';
import { maskPhone } from '../telemetry';
import type { Operation } from './contract';
import { normalisePhone } from './phone-number';
import { LONGEST, required } from './required';

/** A code that comes later is worthless. */
const LIFETIME_MS = 5 * 60_000;

export interface AuthCodeDependencies {
  readonly messages: Pick<Store['messages'], 'enqueue'>;
  /** Country of telephone numbers without a country code. */
  readonly country: CountryCode | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores one SMS with the code, and answers when it is durable; it never waits for the provider. */
export function authCode({ messages, country, now }: AuthCodeDependencies): Operation<'AuthCode'> {
  return async (args, call) => {
    const code = required(args, 'code', LONGEST.code);
    const phone = normalisePhone(required(args, 'phone', LONGEST.key), country);
    call.annotate({ phone: maskPhone(phone) });

    const createdAt = now();
    const messageId = await messages.enqueue({
      channel: 'sms',
      recipient: phone,
      school: '',
      payload: { code },
      priority: MESSAGE_PRIORITY.code,
      createdAt,
      expiresAt: createdAt + LIFETIME_MS,
      dedupeKey: null,
    });
    call.annotate({ messageId });
    return undefined;
  };
}
