import { CODE_CHANNELS, type MessageChannel, type Store } from '../store';
import type { DeliveryLog } from './workers/delivery-log';
import type { HoldLog } from './workers/hold-log';
import type { ChannelWorker } from './workers/channel-worker';
import type { RequestEnds } from './workers/request-ends';
import { eraseExpired, type OldMessages } from './policy/old-messages';
import type { Clock, Timers } from './clock';

interface WorkerOptions {
  readonly owner: string;
  readonly store: Pick<Store, 'outbox' | 'write' | 'listen'>;
  readonly channels: Readonly<Record<MessageChannel, ChannelWorker>>;
  readonly requestEnds: RequestEnds;
  readonly oldMessages: Pick<OldMessages, 'step'>;
  readonly holdLog: Pick<HoldLog, 'look' | 'storeAnswered' | 'stop'>;
  /** Called every two seconds; at each poll while it is settling. */
  readonly onInterval?: (now: number) => Promise<void>;
  readonly isSettling?: () => boolean;
  /** Closed at the end. */
  readonly providers: readonly { close(): Promise<void> }[];
  /** Time within which duplicates of SendMarkNotes are recognized, in milliseconds. */
  readonly repeatMs: number;
  readonly pollMs: number;
  readonly now: Clock;
  readonly timers: Timers;
  readonly log: DeliveryLog;
}

/** Interval of erasing unneeded data, in milliseconds. */
const ERASE_INTERVAL_MS = 60_000;
/** Interval of `onInterval`, in milliseconds. */
const INTERVAL_MS = 2000;
/** Time for removing old messages at each poll, in milliseconds: a fifth of the time between two. */
const REMOVAL_MS = 100;
/** Longer than the lifetime of a code. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** Share of the time to stop for attempts in progress before they are aborted. */
const SHARE_OF_ATTEMPTS = 0.8;

/** Runs the channel workers: woken by new messages, and at intervals. */
export class Worker {
  readonly #options: WorkerOptions;
  #endPolling: (() => void) | undefined;
  #endListening: (() => Promise<void>) | undefined;
  #maintenance: Promise<void> | undefined;
  #running = false;
  #erasedAt = Number.NEGATIVE_INFINITY;
  #intervalAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.#endListening = this.#options.store.listen((channel) => this.wake(channel));
    this.#endPolling = this.#options.timers.every(this.#options.pollMs, () => this.#poll());
    this.#poll();
  }

  /** Wakes a channel; before the start and after the end, its messages may stay there. */
  wake(channel: MessageChannel): void {
    if (this.#running) this.#options.channels[channel].wake();
  }

  /**
   * Claims no more messages, finishes those in progress, and releases the rest.
   *
   * @param withinMs - longer attempts are aborted; messages that the store does not record in time are left
   * to their leases
   */
  async stop(withinMs: number): Promise<void> {
    const { timers } = this.#options;
    this.#running = false;
    this.#endPolling?.();
    await new Promise<void>((resolve, reject) => {
      const cancel = timers.after(withinMs, resolve);
      this.#finish(withinMs).then(resolve, reject).finally(cancel);
    });
  }

  async #finish(withinMs: number): Promise<void> {
    const { channels, store, owner, requestEnds, holdLog, providers, now, timers, log } = this.#options;
    const all = Object.values(channels);
    const notTooLong = timers.after(withinMs * SHARE_OF_ATTEMPTS, () => {
      for (const worker of all) worker.abort();
    });
    // At once: a connection that is slow to close must not leave attempts without a time limit.
    await Promise.all([this.#endListening?.(), ...all.map((worker) => worker.stop())]);
    notTooLong();
    try {
      const messages = await store.outbox.release(owner, now());
      if (messages > 0) log.handedBack(messages);
      await requestEnds.endNoted();
      await this.#maintenance; // Its report would replace the last one.
      await holdLog.stop(now());
    } catch (error) {
      log.storeFailed('stop', error); // Their leases run out by themselves.
    }
    for (const provider of providers) await provider.close();
  }

  #poll(): void {
    for (const worker of Object.values(this.#options.channels)) worker.wake();
    this.#maintenance ??= this.#maintain().finally(() => {
      this.#maintenance = undefined;
    });
  }

  async #maintain(): Promise<void> {
    const { store, channels, requestEnds, oldMessages, holdLog, onInterval, isSettling, now, log } =
      this.#options;
    const time = now();
    try {
      const abandoned = await store.outbox.requeueAbandoned(time);
      holdLog.storeAnswered(true, time);
      if (abandoned > 0) log.requeued(abandoned);
      await requestEnds.endNoted();
      // In either direction, as the clock may have been changed.
      const intervalMs = isSettling?.() === true ? 0 : INTERVAL_MS;
      if (Math.abs(time - this.#intervalAt) >= intervalMs) {
        await onInterval?.(time);
        await holdLog.look(time);
        // Few codes are queued at a time; an expired push message may wait for the provider.
        for (const channel of CODE_CHANNELS) await channels[channel].expire();
        this.#intervalAt = time;
      }
      if (Math.abs(time - this.#erasedAt) >= ERASE_INTERVAL_MS) {
        await this.#erase(time);
        this.#erasedAt = time;
      }
      // After the erasing, which counts where codes went.
      const begun = now();
      while ((await oldMessages.step(time)) && this.#running && Math.abs(now() - begun) < REMOVAL_MS);
    } catch (error) {
      holdLog.storeAnswered(false, time);
      log.storeFailed('care', error);
    }
  }

  async #erase(time: number): Promise<void> {
    const { store, requestEnds, repeatMs, log } = this.#options;
    if ((await store.outbox.releaseDelayedCodes(time, LONGEST_WAIT_MS)) > 0) {
      for (const channel of CODE_CHANNELS) this.wake(channel);
    }
    await requestEnds.recordMissedEnds(); // The next poll ends them.
    await eraseExpired(store, repeatMs, time);
    const erasures = await store.write((transaction) => transaction.erasures.take());
    for (const erasure of erasures) log.erased(erasure);
  }
}
