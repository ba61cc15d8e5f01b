import { hash } from 'node:crypto';

import type { CountryCode } from 'libphonenumber-js/max';

import {
  type CallerCodes,
  startOfHour,
  isOfAnyNumber,
  isSamePhone,
  type NewMessage,
  phoneEnd,
  type PhoneRefusal,
  type Store,
  type Transaction,
} from '../../store';
import type { Timers } from '../clock';
import type { CodeGuard, CodeWatch, UnusualDestination } from './code-guard';
import { applyCodeLimits, type CodeLimits, type RefusalRule } from './code-limits';
import { DAY_MS } from '../../support/durations';
import { ownText } from '../../support/own-text';
import { findArea, countedCountry, isOfCountries } from './number-area';

/**
 * Returns true if a day's limit on all codes leaves room for one more of a caller. Half of the limit is
 * reserved for the known callers in equal shares; the other half is first come, first served.
 *
 * @param most - maximum number of codes on a day, at least 1
 * @param known - names of the callers with a share
 * @param used - codes of the day so far, by caller
 * @param caller - name of the caller; empty if unknown
 */
export function hasRoomFor(
  caller: string,
  most: number,
  known: readonly string[],
  used: readonly CallerCodes[],
): boolean {
  const left = most - used.reduce((sum, { codes }) => sum + codes, 0);
  const share = Math.floor(most / 2 / known.length);
  const unused = (name: string): number =>
    Math.max(0, share - (used.find((each) => each.caller === name)?.codes ?? 0));
  const kept = known.filter((name) => name !== caller).reduce((sum, name) => sum + unused(name), 0);
  return left > kept;
}

/** A code for a phone in E.164 or bare digits. Times are milliseconds since 1970 UTC. */
interface NewCode extends Pick<NewMessage, 'caller' | 'createdAt' | 'expiresAt' | 'trace'> {
  readonly code: string;
  readonly phone: string;
}

type CodeDecision =
  | { readonly kind: 'repeated'; readonly messageId: string }
  /** `unusual`: the destination gets more codes than usual, and the guard only reports it. */
  | { readonly kind: 'stored'; readonly messageId: string; readonly unusual?: true }
  /** `unusual`: refused for that reason. */
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number; readonly unusual?: true }
  | { readonly kind: 'country-not-served' | 'premium-number' };

/** Stores a code for delivery unless the send policy forbids it; resolves when it is durable. */
export type AcceptCode = (code: NewCode) => Promise<CodeDecision>;

interface CodePolicy {
  readonly limits: CodeLimits;
  /** Undefined allows all. */
  readonly countries: readonly CountryCode[] | undefined;
  /** Names of the callers with a share of the overall limit; absent if there are none. */
  readonly knownCallers?: (() => readonly string[]) | undefined;
  /** Absent if destinations are not monitored. */
  readonly guard?: CodeGuard | undefined;
  /** Called for each refused code with a valid number; may be called often. */
  readonly onRefused?: ((phone: string, rule: RefusalRule, at: number) => void) | undefined;
}

class TooMany extends Error {
  constructor(
    readonly retryAfterMs: number,
    readonly rule: RefusalRule,
  ) {
    super();
  }
}

/** Time for which refusals are gathered before they are written together, in milliseconds. */
const GATHERED_MS = 5000;
/** Maximum number of gathered entries, and of entries for numbers that callers may have invented. */
const MAX_GATHERED = 2000;
const MAX_OF_ANY_NUMBER = 500;

/**
 * Gathers refusals in memory and writes them together, so that a refused call costs no write. Beyond a bound,
 * further phones are left out: a flood of refused calls must not become a flood of rows.
 */
export class RefusedCodes {
  readonly #store: Pick<Store, 'write'>;
  readonly #timers: Pick<Timers, 'after'>;
  readonly #onFailed: (error: unknown) => void;
  #gathered = new Map<string, PhoneRefusal>();
  #cancel: (() => void) | undefined;

  /** @param onFailed - called when the store could not write them */
  constructor(
    store: Pick<Store, 'write'>,
    timers: Pick<Timers, 'after'>,
    onFailed: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#timers = timers;
    this.#onFailed = onFailed;
  }

  readonly note = (phone: string, rule: RefusalRule, at: number): void => {
    this.#add({ phone, ...rule, times: 1, firstAt: at, lastAt: at });
    this.#cancel ??= this.#timers.after(GATHERED_MS, () => void this.write());
  };

  /** Writes what is gathered; if the store fails, it stays gathered until the next write. */
  async write(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const refusals = [...this.#gathered.values()];
    if (refusals.length === 0) return;
    this.#gathered = new Map();
    try {
      await this.#store.write((transaction) => transaction.refusals.record(refusals));
    } catch (error) {
      this.#onFailed(error);
      for (const refusal of refusals) this.#add(refusal);
    }
  }

  #add(refusal: PhoneRefusal): void {
    const { phone, reason, times, firstAt, lastAt } = refusal;
    const key = `${phone} ${reason} ${String(startOfHour(firstAt))}`;
    const before = this.#gathered.get(key);
    if (before === undefined) {
      const most = isOfAnyNumber(reason) ? MAX_OF_ANY_NUMBER : MAX_GATHERED;
      if (this.#gathered.size < most) this.#gathered.set(ownText(key), { ...refusal, phone: ownText(phone) });
      return;
    }
    this.#gathered.set(key, {
      ...refusal,
      times: before.times + times,
      firstAt: Math.min(before.firstAt, firstAt),
      lastAt: Math.max(before.lastAt, lastAt),
    });
  }
}

/**
 * Creates the send policy: it stores a code for delivery, or returns why not. It decides in the storing
 * transaction, one code of a phone after the other, so that it holds for any number of concurrent processes
 * and requests.
 *
 * @param wake - called when a code is stored
 */
export function codeAcceptance(store: Store, policy: CodePolicy, wake: () => void): AcceptCode {
  const { countries, guard, onRefused } = policy;
  return async (code) => {
    const { phone, createdAt } = code;
    const number = findArea(phone);
    if (countries !== undefined && !isOfCountries(number, countries)) {
      onRefused?.(phone, { reason: 'country', bound: 0 }, createdAt);
      return { kind: 'country-not-served' };
    }
    if (number.isPremium) {
      onRefused?.(phone, { reason: 'premium', bound: 0 }, createdAt);
      return { kind: 'premium-number' };
    }
    const caller = code.caller ?? '';
    const watch = await guard?.watch(number, caller, createdAt);
    try {
      const { decision, unusual } = await store.writeShort((transaction) =>
        accept(transaction, policy, code, countedCountry(number), watch),
      );
      unusual?.report();
      if (decision.kind === 'stored') wake();
      if (decision.kind === 'too-many') onRefused?.(phone, { reason: 'unusual', bound: 0 }, createdAt);
      return decision;
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      onRefused?.(phone, error.rule, createdAt);
      return { kind: 'too-many', retryAfterSeconds: Math.ceil(error.retryAfterMs / 1000) };
    }
  };
}

interface Accepted {
  readonly decision: CodeDecision;
  readonly unusual?: UnusualDestination | undefined;
}

/**
 * @throws TooMany, before the code is stored or counted: other work in the transaction need not be repeated
 */
async function accept(
  transaction: Transaction,
  { limits, knownCallers = () => [] }: CodePolicy,
  { code, phone, caller, createdAt, expiresAt, trace }: NewCode,
  country: string,
  watch: CodeWatch | undefined,
): Promise<Accepted> {
  const end = phoneEnd(phone);
  const digest = codeDigest(end, code);
  await transaction.lock(...(watch?.locks ?? []), `codes ${end}`);
  const alike = await transaction.sentCodes.endingLike(phone, createdAt - DAY_MS);
  const sent = alike.filter((each) => isSamePhone(each.phone, phone));
  const decision = applyCodeLimits(limits, { digest, caller }, sent, createdAt);
  if (decision.kind === 'too-many') throw new TooMany(decision.retryAfterMs, decision.rule);
  if (decision.kind === 'repeated') return { decision };

  const unusual = await watch?.check(transaction);
  const report = unusual && { unusual: true as const };
  if (unusual?.refusedUntil !== undefined) {
    const retryAfterSeconds = Math.ceil((unusual.refusedUntil - createdAt) / 1000);
    return { decision: { kind: 'too-many', retryAfterSeconds, ...report }, unusual };
  }

  const today = Math.floor(createdAt / DAY_MS);
  if (limits.perDayOverall > 0) {
    // From here to the end of the transaction, other codes wait.
    await transaction.lock('codes of all');
    const used = await transaction.sentCodes.ofDay(today);
    if (!hasRoomFor(caller ?? '', limits.perDayOverall, knownCallers(), used))
      throw new TooMany((today + 1) * DAY_MS - createdAt, { reason: 'overall', bound: limits.perDayOverall });
    await transaction.sentCodes.count(today, caller ?? '');
  }
  const messageId = await transaction.messages.enqueue({
    channel: 'sms',
    recipient: phone,
    school: '',
    payload: { code },
    createdAt,
    expiresAt,
    dedupeKey: digest,
    caller,
    trace,
    country,
    // Excessive codes must not count as usual later.
    area: unusual === undefined ? watch?.area : undefined,
  });
  return { decision: { kind: 'stored', messageId, ...report }, unusual };
}

/** Returns a digest that distinguishes codes of phones with this end, without storing them. */
function codeDigest(end: string, code: string): string {
  return hash('sha256', JSON.stringify([end, code]), 'hex');
}
