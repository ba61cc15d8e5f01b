import { setMaxListeners } from 'node:events';

import {
  type ClaimedMessage,
  hasProvider,
  type HeldBy,
  type MessageChannel,
  type NewAttempt,
  type Settlement,
  type Store,
  StoreError,
} from '../../store';
import { singleFlight } from '../../support/single-flight';
import { type ProviderCall, type Outcome, type Random, reasonFor } from '../outcome';
import type { Clock, Timers } from '../clock';
import type { DeliveryLog } from './delivery-log';
import type { RequestEnds } from './request-ends';
import { isErased, type NextState, nextState, type RetryRules } from './retry';

/** Result for one message: `asked` if a provider was called, `settled` if the result is already recorded. */
interface Delivered {
  readonly outcome: Outcome;
  readonly asked?: ProviderCall;
  /** Name of the gateway for the next attempt. */
  readonly gateway?: string;
  readonly settled?: Settlement;
}

interface Attempt {
  /** Ends it early. */
  readonly stop: AbortSignal;
  /**
   * Must be called right before the provider, after everything that takes time: the process may have been
   * suspended, or the store slow, so that another worker may have the message.
   *
   * @throws LostLease if too little of the lease is left
   */
  readonly checkLease: () => void;
  readonly settlementOf: (outcome: Outcome) => Settlement;
}

export type Deliver = (message: ClaimedMessage, attempt: Attempt) => Promise<Delivered>;

/** Thrown when another worker has the message: this worker's result no longer counts. */
export class LostLease extends Error {
  override readonly name = 'LostLease';
}

export interface ChannelWorkerOptions {
  readonly channel: MessageChannel;
  readonly owner: string;
  readonly outbox: Store['outbox'];
  readonly deliver: Deliver;
  /** Maximum number of concurrent messages. */
  readonly concurrency: number;
  /** The provider's limits; default: none. */
  readonly pace?: {
    /** Returns the number of messages that may be started now. */
    places(): number;
    /**
     * Returns the time until more may be started, in milliseconds; infinite if the worker need not wake for
     * them.
     */
    untilPlaceMs(): number;
  };
  readonly rules: RetryRules;
  readonly leaseMs: number;
  /** Minimum remaining lease at the start of an attempt, in milliseconds. */
  readonly attemptMs: number;
  readonly now: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: DeliveryLog;
  /** Returns what held an expired message; undefined if nothing is known. */
  readonly heldBy: (channel: MessageChannel, message: ClaimedMessage) => HeldBy | undefined;
  /** Resolves when `heldBy` knows what happened before the start; default: at once. */
  readonly holdsKnown?: Promise<void>;
  /** Called when the outcome of a message has been recorded. */
  readonly onSettled?: RequestEnds['settled'];
}

/** After this many workers died with a message, it is considered the cause. */
const MAX_WORKERS = 5;
/** Pause before an unresponsive store is queried again, in milliseconds. */
const STORE_PAUSE_MS = 500;
/** Maximum number of messages that expire at once. */
const MAX_EXPIRED = 200;

/**
 * Delivers the messages of one channel. Each channel has its own worker, so that a code never waits for
 * notes, or for another channel's provider.
 */
export class ChannelWorker {
  readonly #options: ChannelWorkerOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #claiming: Promise<void> | undefined;
  #cancelWait: () => void = () => undefined;
  #wokenAgain = false;
  #stopped = false;

  constructor(options: ChannelWorkerOptions) {
    this.#options = options;
    // Every attempt in progress adds a listener.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Checks for due messages, now or as soon as there is room. */
  wake(): void {
    this.#wokenAgain = true;
    this.#claiming ??= this.#claimWhatIsDue();
  }

  /** Ends messages whose lifetime is over, however few the provider accepts now. It does not reject. */
  readonly expire = singleFlight(() => this.#claimExpired());

  async #claimExpired(): Promise<void> {
    if (this.#stopped) return;
    const claimedAt = this.#options.timers.elapsed();
    for (const message of await this.#claim(MAX_EXPIRED, true)) this.#begin(message, claimedAt);
  }

  /** Claims no more messages; resolves when those in progress are settled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelWait();
    await Promise.all([this.#claiming, this.expire()]);
    await Promise.all(this.#underWay);
  }

  /** Aborts the attempts in progress; each is settled with its outcome so far. */
  abort(): void {
    this.#abort.abort();
  }

  async #claimWhatIsDue(): Promise<void> {
    while (this.#wokenAgain) {
      // Messages settled in one transaction free their places one after the other: this fills them together.
      await this.#options.timers.nextTurn();
      this.#wokenAgain = false;
      const limit = this.#stopped ? 0 : this.#limit();
      if (limit === 0) break; // The next message that is settled or may be started wakes the worker.
      const claimedAt = this.#options.timers.elapsed();
      const claimed = await this.#claim(limit);
      for (const message of claimed) this.#begin(message, claimedAt);
      if (claimed.length === limit) this.#waitForPlace();
    }
    // In the same turn as the last check of the flag; otherwise a wake-up in between would be lost.
    this.#claiming = undefined;
  }

  /**
   * Limits a claim. Each costs a transaction: while many messages are in progress, a few free places wait for
   * more.
   */
  #limit(): number {
    const { pace, concurrency } = this.#options;
    const free = concurrency - this.#underWay.size;
    const few = Math.ceil(concurrency / 4);
    if (free < few && this.#underWay.size >= few) return 0;
    const places = pace?.places() ?? free;
    if (places === 0) this.#waitForPlace();
    return Math.min(places, free);
  }

  /** Wakes the worker when the provider's rate allows the next message. */
  #waitForPlace(): void {
    const { pace, timers } = this.#options;
    const ms = pace?.untilPlaceMs() ?? 0;
    this.#cancelWait();
    if (this.#stopped || ms === 0 || !Number.isFinite(ms)) return;
    // A timer may be a millisecond early.
    this.#cancelWait = timers.after(Math.ceil(ms) + 1, () => this.wake());
  }

  async #claim(limit: number, expired = false): Promise<readonly ClaimedMessage[]> {
    const { channel, owner, outbox, leaseMs, now, log } = this.#options;
    const time = now();
    try {
      const claim = { channel, owner, limit, now: time, leaseUntil: time + leaseMs };
      return await outbox.claim(expired ? { ...claim, expired } : claim);
    } catch (error) {
      log.storeFailed(channel, error); // The poll asks again.
      return [];
    }
  }

  /** @param claimedAt - monotonic time of the timers */
  #begin(message: ClaimedMessage, claimedAt: number): void {
    const work = this.#deliver(message, claimedAt).finally(() => {
      this.#underWay.delete(work);
      this.wake();
    });
    this.#underWay.add(work);
  }

  async #deliver(message: ClaimedMessage, claimedAt: number): Promise<void> {
    const { channel, log, onSettled } = this.#options;
    const settlementOf = (outcome: Outcome): Settlement => this.#settlement(message, outcome);
    if (message.expiresAt <= this.#options.now()) await this.#options.holdsKnown;
    const delivered = await this.#try(message, claimedAt, settlementOf);
    const settled = delivered?.settled ?? (await this.#record(message, delivered));
    if (delivered === undefined || settled === undefined) log.leaseLost(channel, message.id);
    else {
      log.settled(channel, message, delivered.outcome, settled);
      onSettled?.(channel, message, settled.state);
    }
  }

  /** @returns undefined if the message no longer belongs to this worker */
  async #try(
    message: ClaimedMessage,
    claimedAt: number,
    settlementOf: (outcome: Outcome) => Settlement,
  ): Promise<Delivered | undefined> {
    const { deliver, channel, leaseMs, attemptMs, now, timers, log } = this.#options;
    if (message.abandoned >= MAX_WORKERS && hasProvider(channel)) {
      return { outcome: { kind: 'refused', reason: { code: 'workers_ended' } } };
    }
    try {
      const checkLease = (): void => {
        if (now() > message.leaseUntil - attemptMs) throw new LostLease();
        // Other workers use the clock, which may have been set back while this process was suspended.
        if (timers.elapsed() - claimedAt > leaseMs - attemptMs) throw new LostLease();
      };
      return await deliver(message, { stop: this.#abort.signal, checkLease, settlementOf });
    } catch (error) {
      if (error instanceof LostLease) return undefined;
      if (error instanceof StoreError) {
        log.storeFailed(channel, error);
        return { outcome: { kind: 'not-yet', until: now() + STORE_PAUSE_MS } };
      }
      log.failed(channel, message.id, error);
      return { outcome: { kind: 'failing', reason: { code: 'service_failed' } } };
    }
  }

  /** Records the outcome of a message, however long the store takes to answer. */
  async #record(message: ClaimedMessage, delivered: Delivered | undefined): Promise<Settlement | undefined> {
    if (delivered === undefined) return undefined;
    const { outbox, channel, timers, log } = this.#options;
    const settled = this.#settlement(message, delivered.outcome, delivered);
    for (;;) {
      try {
        return (await outbox.settle(settled)) ? settled : undefined;
      } catch (error) {
        log.storeFailed(channel, error);
        if (this.#abort.signal.aborted) return undefined;
      }
      await timers.delay(STORE_PAUSE_MS);
    }
  }

  /** An expired message keeps what held it, or the reason of its last attempt. */
  #withCause(next: NextState, message: ClaimedMessage): NextState {
    if (next.reason?.code !== 'expired') return next;
    const { channel, heldBy } = this.#options;
    const held = heldBy(channel, message);
    return held === undefined ? next : { ...next, reason: { code: 'expired', held }, keepsReason: false };
  }

  #settlement(
    message: ClaimedMessage,
    outcome: Outcome,
    { asked, gateway }: Partial<Delivered> = {},
  ): Settlement {
    const { channel, owner, rules, now, random } = this.#options;
    const time = now();
    const next = this.#withCause(nextState(outcome, message, rules, time, random), message);
    const { id, leaseUntil } = message;
    return {
      ...next,
      id,
      owner,
      leaseUntil,
      erase: isErased(channel, next.state),
      gateway,
      ...(outcome.kind === 'sent' && outcome.awaitsReceipt === true && { awaitsReceipt: true }),
      now: time,
      // A waiting message had no attempt, and a request has no provider: its push messages have.
      ...(next.attempted && hasProvider(channel) && { attempt: toAttempt(outcome, asked, time) }),
    };
  }
}

function toAttempt(outcome: Outcome, asked: ProviderCall | undefined, now: number): NewAttempt {
  return {
    at: asked?.at ?? now,
    provider: asked?.provider ?? null,
    outcome: outcome.kind,
    status: ('status' in outcome ? outcome.status : undefined) ?? null,
    reason: reasonFor(outcome),
    milliseconds: asked?.milliseconds ?? null,
    parts: (outcome.kind === 'sent' ? outcome.parts : undefined) ?? null,
  };
}
