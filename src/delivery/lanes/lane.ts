import { setMaxListeners } from 'node:events';

import {
  type ClaimedMessage,
  hasProvider,
  type MessageChannel,
  type NewAttempt,
  type Settlement,
  type Store,
  StoreError,
} from '../../store';
import { type Asked, type Outcome, type Random, reasonOf } from '../outcome';
import type { Clock, Timers } from '../clock';
import type { DeliveryLog } from './delivery-log';
import type { RequestEnds } from './request-ends';
import { isErased, nextState, type RetryRules } from './retry';

/** The result for one message: `asked` where a provider was, `settled` where it is recorded already. */
interface Delivered {
  readonly outcome: Outcome;
  readonly asked?: Asked;
  /** Name of the gateway for the next attempt. */
  readonly gateway?: string;
  readonly settled?: Settlement;
}

/** What an attempt to deliver a message has from its lane. */
interface Attempt {
  /** Ends it early. */
  readonly stop: AbortSignal;
  /**
   * To be called right before a provider is asked, after everything that takes time: the process may have stood
   * still meanwhile, or the store been slow, and somebody else may be at the message by now, or soon.
   *
   * @throws LostLease where too little of the lease is left
   */
  readonly checkLease: () => void;
  readonly settlementOf: (outcome: Outcome) => Settlement;
}

/** Tries once to deliver a message. */
export type Deliver = (message: ClaimedMessage, attempt: Attempt) => Promise<Delivered>;

/** Somebody else delivers the message meanwhile: what this worker found out about it no longer counts. */
export class LostLease extends Error {
  override readonly name = 'LostLease';
}

export interface LaneOptions {
  readonly channel: MessageChannel;
  readonly owner: string;
  readonly outbox: Store['outbox'];
  readonly deliver: Deliver;
  /** Most messages under way at once. */
  readonly concurrency: number;
  /** How many more may be begun now, where the provider has a say. */
  readonly places?: () => number;
  readonly rules: RetryRules;
  readonly leaseMs: number;
  /** Least part of a lease that must be left when an attempt begins, in milliseconds. */
  readonly attemptMs: number;
  readonly now: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: DeliveryLog;
  /** Called when it is recorded what came of a message. */
  readonly onSettled?: RequestEnds['settled'];
}

/** After so many that ended while they had a message, it is taken for the cause. */
const MOST_WORKERS = 5;
/** How long to wait for a store that does not answer before asking it again. */
const STORE_PAUSE_MS = 500;

/**
 * Delivers the messages of one channel. Each channel has a lane of its own, so that a code never waits behind
 * notes, nor for a provider that is not its own.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #claiming: Promise<void> | undefined;
  #wokenAgain = false;
  #stopped = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    // Every attempt under way listens.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Looks whether something is due, now or as soon as there is a place for it. */
  wake(): void {
    this.#wokenAgain = true;
    this.#claiming ??= this.#claimWhatIsDue();
  }

  /** Takes no more messages; resolves when those under way are settled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#claiming;
    await Promise.all(this.#underWay);
  }

  /** Ends the attempts under way; each is settled by what it had come to. */
  abort(): void {
    this.#abort.abort();
  }

  async #claimWhatIsDue(): Promise<void> {
    while (this.#wokenAgain) {
      // What is settled in one transaction makes its places free one after the other: they are filled together.
      await this.#options.timers.nextTurn();
      this.#wokenAgain = false;
      const limit = this.#stopped ? 0 : this.#limit();
      if (limit === 0) break; // The next message that is settled wakes the lane.
      const claimedAt = this.#options.timers.elapsed();
      const claimed = await this.#claim(limit);
      for (const message of claimed) this.#begin(message, claimedAt);
    }
    // In the same turn as the last look at the flag, or a call in between would be lost.
    this.#claiming = undefined;
  }

  /** Claims cost a transaction each: while many messages are under way, a few free places wait for more. */
  #limit(): number {
    const { places, concurrency } = this.#options;
    const free = Math.min(places?.() ?? concurrency, concurrency - this.#underWay.size);
    const few = Math.ceil(concurrency / 4);
    return free < few && this.#underWay.size >= few ? 0 : free;
  }

  async #claim(limit: number): Promise<readonly ClaimedMessage[]> {
    const { channel, owner, outbox, leaseMs, now, log } = this.#options;
    const time = now();
    try {
      return await outbox.claim({ channel, owner, limit, now: time, leaseUntil: time + leaseMs });
    } catch (error) {
      log.storeFailed(channel, error); // The poll asks again.
      return [];
    }
  }

  /** @param claimedAt - as the timers count */
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
    const delivered = await this.#try(message, claimedAt, settlementOf);
    const settled = delivered?.settled ?? (await this.#record(message, delivered));
    if (delivered === undefined || settled === undefined) log.leaseLost(channel, message.id);
    else {
      log.settled(channel, message, delivered.outcome, settled);
      onSettled?.(channel, message, settled.state);
    }
  }

  /** @returns undefined where the message is no longer this worker's */
  async #try(
    message: ClaimedMessage,
    claimedAt: number,
    settlementOf: (outcome: Outcome) => Settlement,
  ): Promise<Delivered | undefined> {
    const { deliver, channel, leaseMs, attemptMs, now, timers, log } = this.#options;
    if (message.abandoned >= MOST_WORKERS && hasProvider(channel)) {
      return { outcome: { kind: 'refused', reason: { code: 'workers_ended' } } };
    }
    try {
      const checkLease = (): void => {
        if (now() > message.leaseUntil - attemptMs) throw new LostLease();
        // Others go by the clock, which may have been put back while this process stood still.
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

  /** Records what came of a message, however long the store takes to answer. */
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

  #settlement(
    message: ClaimedMessage,
    outcome: Outcome,
    { asked, gateway }: Partial<Delivered> = {},
  ): Settlement {
    const { channel, owner, rules, now, random } = this.#options;
    const time = now();
    const next = nextState(outcome, message, rules, time, random);
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
      // What only waits was not tried, and a request has no provider: its push messages have.
      ...(next.attempted && hasProvider(channel) && { attempt: attemptOf(outcome, asked, time) }),
    };
  }
}

function attemptOf(outcome: Outcome, asked: Asked | undefined, now: number): NewAttempt {
  return {
    at: asked?.at ?? now,
    provider: asked?.provider ?? null,
    outcome: outcome.kind,
    status: ('status' in outcome ? outcome.status : undefined) ?? null,
    reason: reasonOf(outcome),
    milliseconds: asked?.milliseconds ?? null,
    parts: (outcome.kind === 'sent' ? outcome.parts : undefined) ?? null,
  };
}
