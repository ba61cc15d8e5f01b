import { pino } from 'pino';
import { Registry } from 'prom-client';

import {
  type Behaviour,
  FakeProvider,
  writeRoute,
  writeServiceAccount,
} from '../../../scripts/harness/delivery';
import { MinuteStats } from '../../../src/admin/history/minute-stats';
import { loadConfig } from '../../../src/config';
import { createDelivery, type Delivery, loadCodeGuard, loadReceipts } from '../../../src/delivery';
import type { Transports } from '../../../src/delivery/transports/transports';
import { SYSTEM_TIMERS } from '../../../src/delivery/clock';
import type { CallerTally } from '../../../src/telemetry/request-tally';
import { type MessageState, StoreError } from '../../../src/store';
import type { UsedConsole } from './use-console';

const MINUTE = 60_000;
/** Lifetime of a code. */
const LIFETIME = 5 * MINUTE;
/** A worker looks what holds its messages at most this long after it has changed. */
const LOOK_MS = 2000;

/** Turns of the event loop without a change after which nothing more happens by itself. */
const QUIET_TURNS = 5;

/** Lists what the gateway can do with requests. */
export type Gateway = 'takes' | 'has no credit' | 'is down' | 'asks for a pause' | 'refuses some';

const TAKEN: Behaviour = { status: 200, body: '{}' };
const ANSWERS: Readonly<Record<Exclude<Gateway, 'refuses some'>, Behaviour>> = {
  takes: TAKEN,
  'has no credit': { status: 200, body: '{"code":"12"}' },
  'is down': { status: 503, body: '{}' },
  'asks for a pause': { status: 429, headers: { 'Retry-After': '60' }, body: '{}' },
};

interface DayOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly transports?: Transports;
  /** Takes the requests of callers since the last time. */
  readonly takeCallers?: () => readonly CallerTally[];
}

/** The gateway refuses these numbers for good while it `refuses some`. */
export const BLACKLISTED = /7\d\d$/;

/**
 * A day of a school in minutes: a worker with a gateway that stands in for a provider, and the console on the same
 * database and clock, which the test moves. It knows what happened, so that pages can be held against it.
 */
export class OutageDay {
  readonly gateway = new FakeProvider();
  readonly #console: UsedConsole;
  readonly #options: DayOptions;
  #delivery: Delivery | undefined;
  #stats: MinuteStats | undefined;
  #poll: () => void = () => undefined;
  #elapsed = 0;
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>();
  #expirations = 0;
  #codes = 0;
  #isDatabaseDown = false;
  doing: Gateway = 'takes';

  /** @param options - settings besides its own, and what stands in for the providers in the place of a gateway */
  constructor(console: UsedConsole, options: DayOptions = {}) {
    this.#console = console;
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.gateway.start();
    this.gateway.usual = ({ body }) => {
      if (this.doing !== 'refuses some') return ANSWERS[this.doing];
      const { to } = JSON.parse(body) as { readonly to: string }; // The gateway's description.
      return BLACKLISTED.test(to) ? { status: 200, body: '{"code":"30"}' } : TAKEN;
    };
    this.#watchStore();
    await this.startWorker();
  }

  async stop(): Promise<void> {
    this.isDatabaseDown = false;
    await this.stopWorker();
    await this.gateway.stop();
  }

  /** The database answers nothing while this is true. */
  set isDatabaseDown(isDown: boolean) {
    this.#isDatabaseDown = isDown;
  }

  get hasWorker(): boolean {
    return this.#delivery !== undefined;
  }

  async startWorker(): Promise<void> {
    const { database, store } = this.#console;
    const { folder } = database;
    const registry = new Registry();
    const now = (): number => this.#console.now;
    const elapsed = (): number => this.#elapsed;
    const core = {
      ...{ store, registry, now, logger: pino({ level: 'silent' }) },
      config: loadConfig({
        DATA_DIR: folder,
        SMS_CHANNEL: 'http',
        GATEWAYS_FILE: writeRoute(folder, { okulsms: { url: this.gateway.url, ...GATEWAY } }),
        PUSH_CHANNEL: 'fcm',
        FCM_SERVICE_ACCOUNT: writeServiceAccount(folder, `${this.gateway.url}/token`, this.gateway.url),
        CODE_LIMITS: 'off',
        PUMPING_GUARD: 'off',
        ...this.#options.settings,
      }),
    };
    const openGuard = await loadCodeGuard();
    this.#delivery = createDelivery({
      ...core,
      ...(this.#options.transports !== undefined && { transports: this.#options.transports }),
      guard: openGuard(core),
      takeReceipts: await loadReceipts(),
      random: () => 0.5,
      timers: {
        ...SYSTEM_TIMERS,
        elapsed,
        after: (ms, action) => {
          const timer = { at: this.#elapsed + ms, action };
          this.#timers.add(timer);
          return () => this.#timers.delete(timer);
        },
        every: (_ms, action) => {
          this.#poll = action;
          return () => (this.#poll = () => undefined);
        },
      },
    });
    this.#stats = new MinuteStats({
      ...{ store, now, elapsed, logger: pino({ level: 'silent' }) },
      metrics: { registry, takeCallers: this.#options.takeCallers ?? (() => []) },
    });
    const before = this.#expirations;
    this.#delivery.start();
    await until(() => this.#expirations > before);
  }

  async stopWorker(): Promise<void> {
    const delivery = this.#delivery;
    this.#delivery = undefined;
    await delivery?.stop(1000);
  }

  /** The running worker, with what accepts codes. */
  get delivery(): Delivery {
    if (this.#delivery === undefined) throw new Error('No worker is running');
    return this.#delivery;
  }

  /** Accepts a code for a new number. @returns its number */
  async sendCode(last = String((this.#codes % 100) + 100)): Promise<string> {
    this.#codes += 1;
    const phone = `+90555${String(1000 + this.#codes)}${last}`;
    const { now } = this.#console;
    // While no worker runs, another process accepts codes.
    if (this.#delivery === undefined) await this.#store(phone);
    else await this.#delivery.acceptCode({ code: '1', phone, createdAt: now, expiresAt: now + LIFETIME });
    return phone;
  }

  /** Stores a code as another process does, without telling the worker. */
  async storeCode(): Promise<void> {
    this.#codes += 1;
    await this.#store(`+90555${String(1000 + this.#codes)}100`);
  }

  async #store(recipient: string): Promise<void> {
    const { now, store } = this.#console;
    await store.messages.enqueue({
      ...{ channel: 'sms', recipient, school: '', payload: { code: '1' }, dedupeKey: null },
      ...{ createdAt: now, expiresAt: now + LIFETIME },
    });
  }

  /** Lets a minute pass, in steps after which the worker has done what it could. */
  async minute(): Promise<void> {
    for (const step of [29_000, 29_000, LOOK_MS]) await this.pass(step);
    if (!this.#isDatabaseDown) await this.handOver();
  }

  /** Stores what was counted. */
  async handOver(): Promise<void> {
    await this.#stats?.handOver();
  }

  async states(): Promise<Readonly<Record<MessageState, number>>> {
    const messages = await this.#console.store.deliveries.list({}, 10_000);
    const count = (wanted: string): number => messages.filter(({ state }) => state === wanted).length;
    return Object.fromEntries(
      ['queued', 'sending', 'sent', 'failed', 'expired'].map((state) => [state, count(state)]),
    ) as Record<MessageState, number>;
  }

  /** Lets time pass, after which the worker looks. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
      const at = Math.min(end, next?.at ?? end);
      this.#console.now += at - this.#elapsed;
      this.#elapsed = at;
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      next.action();
      await this.settle();
    }
    if (this.#delivery === undefined) return;
    const before = this.#expirations;
    this.#poll();
    if (this.#isDatabaseDown) {
      // The failure is noted in the turn after the poll.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
      return;
    }
    await until(() => this.#expirations > before);
    await this.settle();
  }

  /** Waits until the worker has done what it can do now. */
  async settle(): Promise<void> {
    const { store, now } = this.#console;
    if (this.#delivery === undefined || this.#isDatabaseDown) return;
    let quiet = 0;
    let before = '';
    // What is due is claimed within some turns, unless something holds it.
    while (quiet < QUIET_TURNS) {
      await new Promise((done) => setImmediate(done));
      const sending = await store.deliveries.busyWorkers();
      const queued = await store.outbox.backlog();
      const text = JSON.stringify([sending, queued]);
      const isOver = queued.some(
        ({ channel, oldestCreatedAt }) => channel === 'sms' && oldestCreatedAt <= now - LIFETIME,
      );
      quiet = sending.length > 0 || isOver || text !== before ? 0 : quiet + 1;
      before = text;
    }
  }

  /** Counts the looks of the worker, and lets the database fail. */
  #watchStore(): void {
    const { store } = this.#console;
    const down = (): Promise<never> => Promise.reject(new StoreError('unavailable', 'It is down.'));
    const cut = <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) => {
      return (...args: Args): Promise<T> => (this.#isDatabaseDown ? down() : work(...args));
    };
    const claim = store.outbox.claim.bind(store.outbox);
    store.outbox.claim = cut(async (asked) => {
      const claimed = await claim(asked);
      if (asked.expired === true) this.#expirations += 1;
      return claimed;
    });
    store.outbox.requeueAbandoned = cut(store.outbox.requeueAbandoned.bind(store.outbox));
    store.ping = cut(store.ping.bind(store));
    store.deliveries.recent = cut(store.deliveries.recent.bind(store.deliveries));
  }
}

const GATEWAY = {
  answers: [
    { code: '12', class: 'stopped', meaning: 'no credit left' },
    { code: '30', class: 'rejected', meaning: 'the number is on a blacklist' },
    { status: '2xx', class: 'accepted' },
  ],
};

/** Waits for what the worker does between two turns of the event loop. */
export async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((done) => setImmediate(done));
}
