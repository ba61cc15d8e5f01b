import type { MessageChannel, Store } from '../store';
import type { Clock } from './outcome/clock';
import type { DeliveryLog } from './lanes/delivery-log';
import { forgetWhatIsOver } from './policy/erase-expired';
import type { Lane } from './lanes/lane';

export interface WorkerOptions {
  /** Names the leases of this worker. */
  readonly owner: string;
  readonly store: Pick<Store, 'outbox' | 'write' | 'listen'>;
  readonly lanes: Readonly<Record<MessageChannel, Lane>>;
  /** Closed at the end. */
  readonly providers: readonly { close(): Promise<void> }[];
  /** How long repetitions of SendMarkNotes are looked for, in milliseconds. */
  readonly repeatMs: number;
  readonly pollMs: number;
  readonly now: Clock;
  readonly log: DeliveryLog;
}

/** How often what is no longer needed is forgotten, in milliseconds. */
const FORGET_INTERVAL_MS = 60_000;
/** Longer than a code lives. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** Part of the time to stop that the attempts under way may take before they are ended. */
const SHARE_OF_ATTEMPTS = 0.8;

/** Runs the lanes: woken when there is a message, and now and then without being woken. */
export class Worker {
  readonly #options: WorkerOptions;
  #poll: NodeJS.Timeout | undefined;
  #endListening: (() => Promise<void>) | undefined;
  #caring = false;
  #running = false;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.#endListening = this.#options.store.listen((channel) => {
      this.wake(channel);
    });
    this.#poll = setInterval(() => {
      this.#lookAround();
    }, this.#options.pollMs);
    this.#lookAround();
  }

  /** There is something in a channel; before the start and after the end it may stay there. */
  wake(channel: MessageChannel): void {
    if (this.#running) this.#options.lanes[channel].wake();
  }

  /**
   * Takes no more messages, finishes those under way, and hands back what is left.
   *
   * @param withinMs - attempts that take longer are ended
   */
  async stop(withinMs: number): Promise<void> {
    const { lanes, store, owner, providers, now, log } = this.#options;
    this.#running = false;
    clearInterval(this.#poll);
    await this.#endListening?.();
    const all = Object.values(lanes);
    const tooLong = setTimeout(() => {
      for (const lane of all) lane.abort();
    }, withinMs * SHARE_OF_ATTEMPTS);
    await Promise.all(all.map((lane) => lane.stop()));
    clearTimeout(tooLong);
    try {
      const messages = await store.outbox.handBack(owner, now());
      if (messages > 0) log.handedBack(messages);
    } catch (error) {
      log.storeFailed('stop', error); // Their leases run out by themselves.
    }
    for (const provider of providers) await provider.close();
  }

  #lookAround(): void {
    for (const lane of Object.values(this.#options.lanes)) lane.wake();
    if (this.#caring) return;
    this.#caring = true;
    void this.#care().finally(() => {
      this.#caring = false;
    });
  }

  async #care(): Promise<void> {
    const { store, repeatMs, now, log } = this.#options;
    const time = now();
    try {
      const abandoned = await store.outbox.requeueAbandoned(time);
      if (abandoned > 0) log.requeued(abandoned);
      // Whichever way the clock was put.
      if (Math.abs(time - this.#forgotAt) < FORGET_INTERVAL_MS) return;
      if ((await store.outbox.releaseDelayedCodes(time, LONGEST_WAIT_MS)) > 0) this.wake('sms');
      await forgetWhatIsOver(store, repeatMs, time);
      this.#forgotAt = time;
    } catch (error) {
      log.storeFailed('care', error);
    }
  }
}
