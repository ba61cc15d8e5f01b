import { createHash } from 'node:crypto';

import type { CountryCode } from 'libphonenumber-js/max';

import {
  type CallerCodes,
  isSamePhone,
  phoneEnd,
  type Store,
  type TraceContext,
  type Transaction,
} from '../../store';
import { applyCodeLimits, type CodeLimits, DAY_MS } from './code-limits';
import { areaOf, countedCountry, isOfCountries } from './number-area';
import type { Holding, PumpingGuard, Watch } from './pumping-guard';

/**
 * Whether the codes of a day, all telephones together, leave room for one more of a caller. Half of them is kept for
 * the known callers, the same share for each, until it has used it up; the other half goes to whoever comes first.
 *
 * @param most - codes on a day, at least 1
 * @param known - names of the callers that have a share
 * @param used - codes of the day so far, by caller
 * @param caller - who asks; empty where it is not known
 */
export function hasRoomFor(
  caller: string,
  most: number,
  known: readonly string[],
  used: readonly CallerCodes[],
): boolean {
  const left = most - used.reduce((sum, { codes }) => sum + codes, 0);
  const share = known.length === 0 ? 0 : Math.floor(most / 2 / known.length);
  const unused = (name: string): number =>
    Math.max(0, share - (used.find((each) => each.caller === name)?.codes ?? 0));
  const kept = known.filter((name) => name !== caller).reduce((sum, name) => sum + unused(name), 0);
  return left > kept;
}

/** A code for a telephone, which is in E.164 or bare digits. Times are milliseconds since 1970 UTC. */
interface NewCode {
  readonly code: string;
  readonly phone: string;
  /** Name of who asks for it; absent where nobody is known. */
  readonly caller?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What its request is a part of elsewhere. */
  readonly trace?: TraceContext | undefined;
}

/** What the send policy says to a code. */
type CodeDecision =
  | { readonly kind: 'repeated'; readonly messageId: string }
  /** `unusual`: more codes go where it goes than usual, and the guard only says so. */
  | { readonly kind: 'stored'; readonly messageId: string; readonly unusual?: true }
  /** `unusual`: that is why it is refused. */
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number; readonly unusual?: true }
  | { readonly kind: 'country-not-served' | 'dear-number' };

/** Stores a code for delivery unless the send policy is against it; resolves when that is durable. */
export type AcceptCode = (code: NewCode) => Promise<CodeDecision>;

interface CodePolicy {
  readonly limits: CodeLimits;
  /** Undefined: all. */
  readonly countries: readonly CountryCode[] | undefined;
  /** Names of the callers of whom each has a share in what all may send together; absent where there are none. */
  readonly knownCallers?: (() => readonly string[]) | undefined;
  /** Whether premium and satellite numbers get no codes. */
  readonly refusesDear?: boolean;
  /** Absent where nobody looks at where codes go. */
  readonly guard?: PumpingGuard | undefined;
  /** Told of each code that goes where too many go. */
  readonly onUnusual?: ((holding: Holding, caller: string) => void) | undefined;
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
  const { countries, refusesDear = false, guard, onUnusual } = policy;
  return async (code) => {
    const number = areaOf(code.phone);
    if (countries !== undefined && !isOfCountries(number, countries)) return { kind: 'country-not-served' };
    if (refusesDear && number.isDear) return { kind: 'dear-number' };
    const caller = code.caller ?? '';
    const watch = await guard?.watch(number, caller, code.createdAt);
    try {
      const { decision, holding } = await store.writeShort((transaction) =>
        accept(transaction, policy, code, countedCountry(number), watch),
      );
      if (holding !== undefined) onUnusual?.(holding, caller);
      if (decision.kind === 'stored') wake();
      return decision;
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return { kind: 'too-many', retryAfterSeconds: Math.ceil(error.retryAfterMs / 1000) };
    }
  };
}

interface Accepted {
  readonly decision: CodeDecision;
  /** What holds, where the code goes where too many go. */
  readonly holding?: Holding | undefined;
}

/** @throws TooMany, before the code is stored or counted: what shares the transaction is then not run again */
async function accept(
  transaction: Transaction,
  { limits, knownCallers = () => [], guard }: CodePolicy,
  { code, phone, caller, createdAt, expiresAt, trace }: NewCode,
  country: string,
  watch: Watch | undefined,
): Promise<Accepted> {
  const end = phoneEnd(phone);
  const digest = digestOf(end, code);
  await transaction.lock(...(watch?.locks ?? []), `codes ${end}`);
  const alike = await transaction.sentCodes.endingLike(phone, createdAt - DAY_MS);
  const sent = alike.filter((each) => isSamePhone(each.phone, phone));
  const decision = applyCodeLimits(limits, { digest, caller }, sent, createdAt);
  if (decision.kind === 'too-many') throw new TooMany(decision.retryAfterMs);
  if (decision.kind === 'repeated') return { decision };

  const holding = await watch?.check(transaction);
  const unusual = holding && { unusual: true as const };
  if (holding !== undefined && guard?.enforces === true) {
    const retryAfterSeconds = Math.ceil((holding.heldUntil - createdAt) / 1000);
    return { decision: { kind: 'too-many', retryAfterSeconds, ...unusual }, holding };
  }

  const today = Math.floor(createdAt / DAY_MS);
  if (limits.perDayOverall > 0) {
    // From here to the end of the transaction other codes wait.
    await transaction.lock('codes of all');
    const used = await transaction.sentCodes.ofDay(today);
    if (!hasRoomFor(caller ?? '', limits.perDayOverall, knownCallers(), used))
      throw new TooMany((today + 1) * DAY_MS - createdAt);
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
    // What is too many is not to be usual later.
    area: holding === undefined ? watch?.area : undefined,
  });
  return { decision: { kind: 'stored', messageId, ...unusual }, holding };
}

/** Tells the codes of telephones with this end apart without keeping them. */
function digestOf(end: string, code: string): string {
  return createHash('sha256')
    .update(JSON.stringify([end, code]))
    .digest('hex');
}
