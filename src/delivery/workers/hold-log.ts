import {
  type ClaimedMessage,
  gatewaysFor,
  type HeldBy,
  type HeldRoute,
  type Hold,
  type HoldCause,
  holdUntilEnd,
  isSameHold,
  mergeHolds,
  type MessageChannel,
  noWorker,
  type ProviderChannel,
  SHORT_HOLD_MS,
  type Store,
  WORKER_PULSE_MS,
} from '../../store';
import type { Clock } from '../clock';
import type { Provider, ProviderHold } from '../senders/provider';
import type { SmsRoutes } from '../senders/sms-routes';
import type { PushMessage } from '../transports/transport';

interface HoldLogOptions {
  readonly store: Pick<Store, 'workers'>;
  /** Name of the node. */
  readonly node: string;
  readonly sms: Pick<SmsRoutes, 'routes' | 'holds'>;
  readonly push: Pick<Provider<PushMessage>, 'name' | 'hold'>;
  readonly now: Clock;
}

/**
 * A gateway that asks for one pause after the other holds messages all the while: these end after a time
 * without.
 */
const GOES_ON: readonly HoldCause[] = ['pause', 'rate'];
const GOES_ON_MS = 30_000;
/** A busy gateway has no place at many moments: only a rate that holds messages for longer counts. */
const SHORT_RATE_MS = 5000;

/**
 * Remembers what holds messages of this worker, and did so in the last day, and reports it to the store,
 * where the console and the commands read it.
 */
export class HoldLog {
  readonly #options: HoldLogOptions;
  #holds: readonly Hold[] = [];
  /** When each was last seen. */
  readonly #seenAt = new WeakMap<Hold, number>();
  #hasBegun = false;
  #onLooked: () => void = () => undefined;
  /** Resolves after the first look: until then, nothing is known about the time before the start. */
  readonly looked = new Promise<void>((resolve) => (this.#onLooked = resolve));
  #saidAt = Number.NEGATIVE_INFINITY;
  #said = '';

  constructor(options: HoldLogOptions) {
    this.#options = options;
  }

  /** Notes what holds messages now; reports it if that has changed, and regularly. @throws StoreError */
  async look(now: number): Promise<void> {
    try {
      if (!this.#hasBegun) await this.#begin(now);
      this.#note(now);
      await this.#say(now);
    } finally {
      this.#onLooked();
    }
  }

  /**
   * Reports at once that a circuit has opened or closed. If the store does not answer, the next look reports
   * it.
   */
  changed(): void {
    if (this.#hasBegun) this.look(this.#options.now()).catch(() => undefined);
  }

  /** Reports that the worker ends. @throws StoreError */
  async stop(now: number): Promise<void> {
    this.#note(now);
    const { store, node, sms } = this.#options;
    await store.workers.say(
      node,
      { routes: this.#routes(sms.routes), holds: this.#reported(now), hasStopped: true },
      now,
    );
  }

  /** Notes whether the store answers. @param at - when it was asked, in milliseconds since 1970 UTC */
  storeAnswered(isGood: boolean, at: number): void {
    const current = this.#holds.find(({ cause, until }) => cause === 'database' && until === null);
    if (isGood && current !== undefined) this.#end(current, at);
    if (!isGood && current === undefined)
      this.#holds = [...this.#holds, { ...noWorker(at, null), cause: 'database' }];
  }

  /** Returns what held an expired message until its end; undefined if nothing is known. */
  heldBy(channel: MessageChannel, message: ClaimedMessage): HeldBy | undefined {
    this.#note(this.#options.now());
    const gateways = gatewaysFor(this.#routes(this.#options.sms.routes), { ...message, channel });
    const own = this.#holds.filter(
      (hold) => hold.channel === null || (hold.channel === channel && gateways.includes(hold.gateway ?? '')),
    );
    const found = holdUntilEnd(own, message);
    if (found === undefined) return undefined;
    const { cause, gateway, reason, since } = found;
    return { cause, gateway, reason, since };
  }

  /** Continues the report of the run before, and notes for how long no worker ran. */
  async #begin(now: number): Promise<void> {
    const { store, node } = this.#options;
    const workers = await store.workers.list();
    const former = workers.find(({ name }) => name === node);
    const before = workers.map((each) => (each === former ? { ...each, hasStopped: true } : each));
    const down = mergeHolds(before, now).holds.filter(isNoWorker);
    this.#holds = [...(former?.holds ?? []), ...down]
      .map((hold) => ({ ...hold, until: hold.until ?? (isNoWorker(hold) ? now : (former?.heardAt ?? now)) }))
      .filter(({ since, until }) => until - since >= SHORT_HOLD_MS);
    this.#hasBegun = true;
  }

  #note(now: number): void {
    const { sms, push } = this.#options;
    const seen = [
      ...sms.holds.map(([gateway, hold]) => seenHold('sms', gateway, hold, now)),
      ...(push.hold === undefined ? [] : [seenHold('push', push.name, push.hold, now)]),
    ];
    for (const hold of this.#holds) {
      if (hold.until !== null || hold.channel === null) continue;
      if (seen.some((each) => isSameHold(each, hold))) this.#seenAt.set(hold, now);
      else if (!GOES_ON.includes(hold.cause)) this.#end(hold, now);
      else if (now - (this.#seenAt.get(hold) ?? hold.since) > GOES_ON_MS)
        this.#end(hold, this.#seenAt.get(hold) ?? hold.since);
    }
    const fresh = seen.filter(
      (each) => !this.#holds.some((hold) => hold.until === null && isSameHold(each, hold)),
    );
    this.#holds = [...this.#holds, ...fresh];
  }

  /** Short ones are forgotten. */
  #end(hold: Hold, at: number): void {
    const until = Math.max(hold.since, at);
    this.#holds = this.#holds.flatMap((each) => {
      if (each !== hold) return [each];
      return until - hold.since < SHORT_HOLD_MS ? [] : [{ ...hold, until }];
    });
  }

  /** Returns the holds to report. */
  #reported(now: number): readonly Hold[] {
    return this.#holds.filter(
      ({ cause, since, until }) => cause !== 'rate' || until !== null || now - since >= SHORT_RATE_MS,
    );
  }

  #routes(sms: readonly HeldRoute[]): readonly HeldRoute[] {
    return [...sms, { channel: 'push', gateways: [this.#options.push.name] }];
  }

  async #say(now: number): Promise<void> {
    const { store, node, sms } = this.#options;
    const report = { routes: this.#routes(sms.routes), holds: this.#reported(now) };
    const text = JSON.stringify(report);
    if (text === this.#said && Math.abs(now - this.#saidAt) < WORKER_PULSE_MS) return;
    await store.workers.say(node, report, now);
    this.#saidAt = now;
    this.#said = text;
  }
}

/** Returns true for the time without a worker, which ends now. */
function isNoWorker({ cause, until }: Hold): boolean {
  return cause === 'worker' && until === null;
}

function seenHold(
  channel: ProviderChannel,
  gateway: string,
  { cause, reason, since }: ProviderHold,
  now: number,
): Hold {
  return { cause, channel, gateway, reason, since: since ?? now, until: null };
}
