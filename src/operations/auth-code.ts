import type { CountryCode } from 'libphonenumber-js/min';

import { maskPhone } from '../telemetry';
import { ClientError } from './client-error';
import type { Operation } from './contract';
import { normalisePhone } from './phone-number';
import { LONGEST, required } from './required';

/** A code that comes later is worthless. */
const LIFETIME_MS = 5 * 60_000;

/** A code for a telephone. Points in time are milliseconds since 1970 UTC. */
export interface NewCode {
  readonly code: string;
  /** In the form that `normalisePhone` gives. */
  readonly phone: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What the send policy says to a code. */
export type CodeDecision =
  | { readonly kind: 'stored' | 'repeated'; readonly messageId: string }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number }
  | { readonly kind: 'country-not-served' };

export interface AuthCodeDependencies {
  /** Stores a code for delivery unless the send policy is against it; resolves when that is durable. */
  readonly acceptCode: (code: NewCode) => Promise<CodeDecision>;
  /** Country of telephone numbers without a country code. */
  readonly country: CountryCode | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores one SMS with the code, and answers when it is durable; it never waits for the provider. */
export function authCode({ acceptCode, country, now }: AuthCodeDependencies): Operation<'AuthCode'> {
  return async (args, call) => {
    const code = required(args, 'code', LONGEST.code);
    const phone = normalisePhone(required(args, 'phone', LONGEST.key), country);
    call.annotate({ phone: maskPhone(phone) });

    const createdAt = now();
    const decision = await acceptCode({ code, phone, createdAt, expiresAt: createdAt + LIFETIME_MS });
    switch (decision.kind) {
      case 'stored':
        call.annotate({ messageId: decision.messageId });
        return undefined;
      case 'repeated': // A client that asks again: the answer is the first one's.
        call.annotate({ messageId: decision.messageId, repeated: true });
        return undefined;
      case 'too-many':
        throw new ClientError(
          `Too many codes for this phone. Try again in ${String(decision.retryAfterSeconds)} s.`,
        );
      case 'country-not-served':
        throw new ClientError('Codes are not sent to telephones of this country.');
    }
  };
}
