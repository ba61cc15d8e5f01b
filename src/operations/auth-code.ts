import type { CountryCode } from 'libphonenumber-js/max';

import type { Delivery } from '../delivery';
import { maskPhone } from '../privacy';
import { ClientError, LONGEST, normalisePhone, required } from './arguments';
import type { Operation } from './contract';

/** A code that comes later is worthless. */
const LIFETIME_MS = 5 * 60_000;

export interface AuthCodeDependencies {
  /** Stores a code for delivery unless the send policy is against it; resolves when that is durable. */
  readonly acceptCode: Delivery['acceptCode'];
  /** Country of telephone numbers without a country code. */
  readonly country: CountryCode | undefined;
  /** What a code must look like. */
  readonly isCode: (text: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores one SMS with the code, and answers when it is durable; it never waits for the provider. */
export function authCode({ acceptCode, country, isCode, now }: AuthCodeDependencies): Operation<'AuthCode'> {
  return async (args, call) => {
    const code = required(args, 'code', LONGEST.code);
    if (!isCode(code)) throw new ClientError('Parameter code is not of the form that codes have.');
    const phone = normalisePhone(required(args, 'phone', LONGEST.key), country);
    call.annotate({ phone: maskPhone(phone) });

    const createdAt = now();
    const decision = await acceptCode({
      ...{ code, phone, caller: call.caller, trace: call.trace },
      ...{ createdAt, expiresAt: createdAt + LIFETIME_MS },
    });
    switch (decision.kind) {
      case 'stored':
        call.annotate({
          messageId: decision.messageId,
          ...(decision.unusual === true && { unusual: true }),
        });
        return undefined;
      case 'repeated': // A client that asks again: the answer is the first one's.
        call.annotate({ messageId: decision.messageId, repeated: true });
        return undefined;
      case 'too-many':
        if (decision.unusual === true) call.annotate({ unusual: true });
        throw new ClientError(
          `Too many codes for this phone. Try again in ${String(decision.retryAfterSeconds)} s.`,
        );
      case 'dear-number':
        throw new ClientError('Codes are not sent to premium and satellite numbers.');
      case 'country-not-served':
        throw new ClientError('Codes are not sent to telephones of this country.');
    }
  };
}
