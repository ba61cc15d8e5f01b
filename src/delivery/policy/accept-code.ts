import { createHash } from 'node:crypto';

import { type CountryCode, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';

import { phoneEnd, type Store, type Transaction } from '../../store';
import { applyCodeLimits, type CodeLimits, DAY_MS } from './code-limits';
import { hasRoomFor } from './overall-limit';
import { isSamePhone } from './same-phone';

/** A code for a telephone, which is in E.164 or bare digits. Times are milliseconds since 1970 UTC. */
export interface NewCode {
  readonly code: string;
  readonly phone: string;
  /** Name of who asks for it; absent where nobody is known. */
  readonly caller?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What the send policy says to a code. */
export type CodeDecision =
  | { readonly kind: 'stored' | 'repeated'; readonly messageId: string }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number }
  | { readonly kind: 'country-not-served' };

/** Stores a code for delivery unless the send policy is against it; resolves when that is durable. */
export type AcceptCode = (code: NewCode) => Promise<CodeDecision>;

export interface CodePolicy {
  readonly limits: CodeLimits;
  /** Undefined: all. */
  readonly countries: readonly CountryCode[] | undefined;
  /** Names of the callers of whom each has a share in what all may send together; absent where there are none. */
  readonly knownCallers?: (() => readonly string[]) | undefined;
}

class TooMany extends Error {
  constructor(readonly retryAfterMs: number) {
    super();
  }
}

/**
 * The send policy: stores a code for delivery, or says why not. It decides in the transaction that stores, one
 * code of a telephone after the other, so that it holds for any number of processes and requests at once.
 *
 * @param wake - called when a code is stored
 */
export function codeAcceptance(store: Store, policy: CodePolicy, wake: () => void): AcceptCode {
  return async (code) => {
    if (!isAllowedCountry(code.phone, policy.countries)) return { kind: 'country-not-served' };
    try {
      const decision = await store.write((transaction) => accept(transaction, policy, code));
      if (decision.kind === 'stored') wake();
      return decision;
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return { kind: 'too-many', retryAfterSeconds: Math.ceil(error.retryAfterMs / 1000) };
    }
  };
}

/** @throws TooMany, which undoes what was stored and counted */
async function accept(
  transaction: Transaction,
  { limits, knownCallers = () => [] }: CodePolicy,
  { code, phone, caller, createdAt, expiresAt }: NewCode,
): Promise<CodeDecision> {
  const end = phoneEnd(phone);
  const digest = digestOf(end, code);
  await transaction.lock(`codes ${end}`);
  const alike = await transaction.sentCodes.endingLike(phone, createdAt - DAY_MS);
  const sent = alike.filter((each) => isSamePhone(each.phone, phone));
  const decision = applyCodeLimits(limits, { digest, caller }, sent, createdAt);
  if (decision.kind === 'too-many') throw new TooMany(decision.retryAfterMs);
  if (decision.kind === 'repeated') return { kind: 'repeated', messageId: decision.messageId };

  const messageId = await transaction.messages.enqueue({
    channel: 'sms',
    recipient: phone,
    school: '',
    payload: { code },
    createdAt,
    expiresAt,
    dedupeKey: digest,
    caller,
  });
  if (limits.perDayOverall > 0) {
    // Last, since from here to the end of the transaction other codes wait.
    await transaction.lock('codes of all');
    const today = Math.floor(createdAt / DAY_MS);
    const used = await transaction.sentCodes.ofDay(today);
    if (!hasRoomFor(caller ?? '', limits.perDayOverall, knownCallers(), used))
      throw new TooMany((today + 1) * DAY_MS - createdAt);
    await transaction.sentCodes.count(today, caller ?? '');
  }
  return { kind: 'stored', messageId };
}

/**
 * Whether codes are sent to a telephone.
 *
 * @param phone - in E.164, or bare digits of a country that is not known
 * @param allowed - countries, or undefined for all of them
 */
function isAllowedCountry(phone: string, allowed: readonly CountryCode[] | undefined): boolean {
  if (allowed === undefined) return true;
  const number = parsePhoneNumberFromString(phone);
  if (number === undefined) return false;
  if (number.country !== undefined) return allowed.includes(number.country);
  // Countries share calling codes, and new ranges are not in the tables yet: then the calling code decides.
  return allowed.some((country) => getCountryCallingCode(country) === number.countryCallingCode);
}

/** Tells the codes of telephones with this end apart without keeping them. */
function digestOf(end: string, code: string): string {
  return createHash('sha256')
    .update(JSON.stringify([end, code]))
    .digest('hex');
}
