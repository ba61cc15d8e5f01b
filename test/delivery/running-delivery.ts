import { Writable } from 'node:stream';

import { pino } from 'pino';
import { Registry } from 'prom-client';

import { loadConfig } from '../../src/config';
import { createDelivery, type Delivery, type TakeReceipts } from '../../src/delivery';
import { SYSTEM_TIMERS } from '../../src/delivery/clock';
import type { MessageState, Store } from '../../src/store';
import type { TestDatabase } from '../harness/test-databases';
import { type FakeProvider, writeGatewaysFile, writeServiceAccount } from '../../scripts/harness/delivery';

/** A line of the log about a message. */
export interface MessageLine {
  readonly messageId: string;
  readonly channel: string;
  readonly state: MessageState;
  readonly outcome: string;
  readonly attempt: number;
  readonly reason?: string;
  readonly waitMs?: number;
  readonly parts?: number;
}

/** A line of the log about a request at its end. */
export interface RequestLine {
  readonly level: number;
  readonly messageId: string;
  readonly state: MessageState;
  readonly pushes: number;
  readonly sent: number;
  readonly failed: number;
  readonly expired: number;
  readonly suppressed: number;
  readonly withoutDevice: number;
  readonly reasons: readonly object[];
}

/** Shorter than in the service: the clock leaps here, and what it brings is looked for then. */
const POLL_MS = 20;

export const START = Date.parse('2026-03-02T10:00:00Z');

/** The delivery on a database of the test's own, with a clock that stands still until it is moved. */
export class RunningDelivery {
  readonly delivery: Delivery;
  readonly registry = new Registry();
  readonly #store: Store;
  readonly #messages: MessageLine[] = [];
  readonly #requests: RequestLine[] = [];
  #log = '';
  #onLine: () => void = () => undefined;
  #stopPolling: () => void = () => undefined;
  #now = START;
  /** How far the clock was put on: what is put back was not waited for. */
  #elapsed = 0;

  constructor(
    store: Store,
    { folder }: TestDatabase,
    providers: {
      readonly sms: FakeProvider;
      readonly push: FakeProvider;
      readonly takeReceipts?: TakeReceipts | undefined;
    },
    settings: Readonly<Record<string, string>> = {},
    gateway: Readonly<Record<string, unknown>> = {},
  ) {
    this.#store = store;
    const lines = new Writable({
      write: (line: Buffer, _encoding, done) => {
        this.#read(line.toString());
        done();
      },
    });
    this.delivery = createDelivery({
      store,
      config: loadConfig({
        DATA_DIR: folder,
        SMS_CHANNEL: 'http',
        GATEWAYS_FILE: writeGatewaysFile(folder, { url: providers.sms.url, ...gateway }),
        PUSH_CHANNEL: 'fcm',
        FCM_SERVICE_ACCOUNT: writeServiceAccount(folder, `${providers.push.url}/token`, providers.push.url),
        // On a busy machine a provider may take seconds to get its turn.
        PROVIDER_TIMEOUT_SECONDS: '29',
        ...settings,
      }),
      logger: pino(lines),
      registry: this.registry,
      takeReceipts: providers.takeReceipts,
      now: () => this.now,
      // On a busy machine real time would take away leases that the clock still gives.
      timers: {
        ...SYSTEM_TIMERS,
        elapsed: () => this.#elapsed,
        every: (_ms, action) => (this.#stopPolling = SYSTEM_TIMERS.every(POLL_MS, action)),
      },
      random: () => 0.5,
    });
  }

  get now(): number {
    return this.#now;
  }

  set now(time: number) {
    this.#elapsed += Math.max(0, time - this.#now);
    this.#now = time;
  }

  get log(): string {
    return this.#log;
  }

  /** Returns what became of messages, in order. */
  get messages(): readonly MessageLine[] {
    return this.#messages;
  }

  sendCode(code: string, phone = '+905551112233') {
    return this.delivery.acceptCode({ code, phone, createdAt: this.now, expiresAt: this.now + 5 * 60_000 });
  }

  async sendMarks(
    classId = '1A',
    note = 'N1',
    school = 'http://school.example',
    caller?: string,
  ): Promise<string> {
    const id = await this.#store.messages.enqueue({
      channel: 'mark',
      recipient: classId,
      school,
      note,
      payload: { note },
      createdAt: this.now,
      expiresAt: this.now + 24 * 3_600_000,
      dedupeKey: `${school} ${classId} ${note}`,
      caller,
    });
    this.delivery.wake('mark');
    return id;
  }

  /**
   * Starts on the messages that are stored, and wakes the channel workers only by `pass` from then on. A second claim that
   * is under way when the clock leaps would lose its lease.
   */
  startWithOneClaim(): void {
    this.delivery.start();
    this.#stopPolling();
  }

  /** Lets time pass, and wakes the channel workers. */
  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const channel of ['mark', 'push', 'sms'] as const) this.delivery.wake(channel);
  }

  /** Waits for the line about a message that has these fields. */
  async line(wanted: Partial<MessageLine>): Promise<MessageLine> {
    const [found] = await this.lines(1, wanted);
    if (found === undefined) throw new Error('Fewer lines than waited for');
    return found;
  }

  /** Waits for the line about the end of a request. */
  async ended(request: string): Promise<RequestLine> {
    const [found] = await this.requests(1, request);
    if (found === undefined) throw new Error('Fewer lines than waited for');
    return found;
  }

  async requests(count: number, request: string): Promise<readonly RequestLine[]> {
    for (;;) {
      const found = this.#requests.filter(({ messageId }) => messageId === request);
      if (found.length >= count) return found;
      await new Promise<void>((done) => (this.#onLine = done));
    }
  }

  /** Waits for a line about messages that were removed. */
  removed(): Promise<void> {
    return this.logged('removed messages older');
  }

  /** Waits for a line with this text. */
  async logged(text: string): Promise<void> {
    while (!this.#log.includes(text)) await new Promise<void>((done) => (this.#onLine = done));
  }

  async lines(count: number, wanted: Partial<MessageLine>): Promise<readonly MessageLine[]> {
    for (;;) {
      const found = this.#messages.filter((line) =>
        Object.entries(wanted).every(([name, value]) => line[name as keyof MessageLine] === value),
      );
      if (found.length >= count) return found;
      await new Promise<void>((done) => (this.#onLine = done));
    }
  }

  #read(line: string): void {
    this.#log += line;
    const parsed = JSON.parse(line) as MessageLine & RequestLine & { readonly msg: string }; // Each line is an object.
    if (parsed.msg === 'message') this.#messages.push(parsed);
    if (parsed.msg === 'mark request') this.#requests.push(parsed);
    this.#onLine();
  }
}
