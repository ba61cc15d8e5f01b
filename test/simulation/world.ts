import { Writable } from 'node:stream';

import { pino } from 'pino';
import { Registry } from 'prom-client';

import { type Config, loadConfig } from '../../src/config';
import { createDelivery, type Delivery, type OpenCodeGuard, type TakeReceipts } from '../../src/delivery';
import { ClientError } from '../../src/operations/arguments';
import { authCode, sendMarkNotes } from '../../src/operations/operations';
import { type MessageChannel, StoreError } from '../../src/store';
import { Store } from '../../src/store/store';
import type { Random } from '../harness/random';
import { HostEngine, type SharedStore, type StatementTwin, type Written } from './host-engine';
import { type GatewayReport, Judge, type JudgedRules, SHORTEST_PAUSE, Violation } from './judge';
import { PostgresModel } from './postgres-model';
import { Providers } from './providers';
import { receiptRecorder } from './receipts';
import { loadLateNote, type SchoolDatabase } from './school';
import { Host, VirtualTime } from './virtual-time';

/**
 * How many times the pause between two polls a process may take: a busy one is late. Few are on time: polls cost most.
 */
const LATENESS = [1, 6, 6, 12, 12] as const;

/** More turns of the event loop than anything needs that waits for neither the scheduler nor the network. */
const TURNS_OF_A_STEP = { sqlite: 2, postgres: 1 } as const;

const IMPORT_PAUSE_MS = 1000;

/** A gateway that gets no answer calls again. */
const CALL_AGAIN_MS = 15_000;

/** A process of the service. */
interface Process {
  readonly host: Host;
  readonly delivers: boolean;
  readonly delivery: Delivery;
  readonly hear: (report: GatewayReport) => Promise<unknown>;
  readonly askForCode: (code: string, phone: string) => Promise<void>;
  readonly askForNote: (note: string, classId: string, school: string) => Promise<void>;
  isStopping: boolean;
}

/** Settings that differ from world to world. */
export interface WorldSettings {
  readonly environment: Readonly<Record<string, string>>;
  readonly rules: JudgedRules;
  /** Which processes there are, each by whether it delivers; the others only take messages on. */
  readonly processes: readonly boolean[];
  readonly openGuard: OpenCodeGuard;
  readonly takeReceipts: TakeReceipts | undefined;
}

/** Processes of the service, their database, their providers and their clock. */
export class World {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly judge: Judge;
  readonly providers: Providers;
  readonly shared: SharedStore;
  /** Hosts what no process does. */
  readonly itself: Host;
  readonly #config: Config;
  readonly #openGuard: OpenCodeGuard;
  readonly #takeReceipts: TakeReceipts | undefined;
  readonly #record = receiptRecorder();
  #processes: readonly Process[] = [];
  /** A process must still finish these: answers to callers, and its own stop. */
  readonly #unfinished = new Set<{ readonly host: Host; readonly what: string }>();
  #started = 0;
  #failure: unknown;
  #stallAtClaim: number | undefined;

  constructor(
    random: Random,
    start: number,
    { engine }: SchoolDatabase,
    settings: WorldSettings,
    twin: StatementTwin,
  ) {
    this.random = random;
    this.time = new VirtualTime(random, start, TURNS_OF_A_STEP[engine.name]);
    this.itself = new Host('world', this.time);
    this.judge = new Judge(this.time, settings.rules);
    this.providers = new Providers(
      this.time,
      this.itself,
      this.judge,
      this.#record && ((report) => this.#report(report)),
    );
    this.#config = loadConfig({ ...settings.environment });
    this.#openGuard = settings.openGuard;
    this.#takeReceipts = settings.takeReceipts;
    const disturb = (messageId: string | undefined): void => {
      if (messageId !== undefined) this.judge.hinders(messageId);
      if (engine.name === 'sqlite') for (const { host } of this.#processes) host.disturb();
    };
    this.shared = {
      ...{ engine, time: this.time, twin, disturb, executed: 0, transactions: 0 },
      weather: { failsOnceIn: 0, slownessMs: 0 },
      committed: new Map<number, Written>(),
    };
    const failed = (error: unknown): void => {
      this.#failure ??= error;
    };
    if (engine instanceof PostgresModel) engine.enter({ time: this.time, host: this.itself, failed });
    for (const delivers of settings.processes) this.start(delivers);
  }

  get processes(): readonly Process[] {
    return this.#processes.filter(({ host, isStopping }) => !host.isDead && !isStopping);
  }

  /** Returns what processes that live still owe: an answer to a caller, or their own end. */
  get unfinished(): readonly string[] {
    return [...this.#unfinished].filter(({ host }) => !host.isDead).map(({ what }) => what);
  }

  /** @throws Violation when a promise is broken */
  async step(): Promise<void> {
    const { committed } = this.shared;
    await this.time.step();
    const written = [...committed].sort(([one], [other]) => one - other).map(([, each]) => each);
    committed.clear();
    if (written.length > 0) this.judge.commits(written);
    const claim = written.find(({ name, rows }) => name === 'claim_messages' && rows.length > 0);
    const stalled = this.processes.find(({ host }) => host === claim?.host);
    if (this.#stallAtClaim !== undefined && stalled !== undefined) {
      this.stall(stalled, this.#stallAtClaim);
      this.#stallAtClaim = undefined;
    }
    const failure = this.judge.violation ?? this.#failure;
    if (failure instanceof Error) throw failure;
  }

  start(delivers: boolean): void {
    const host = new Host(`process ${String((this.#started += 1))}`, this.time, this.random.pick(LATENESS));
    this.judge.note(`${host.name} starts${delivers ? '' : ', and only takes messages on'}`);
    const { wall, random } = this.time;
    const store = new Store(new HostEngine(this.shared, host));
    const core = {
      store,
      config: delivers ? this.#config : { ...this.#config, ROLE: 'web' as const },
      logger: pino({ level: 'error' }, this.#log(host)),
      registry: new Registry(),
      now: wall,
    };
    const delivery = createDelivery({
      ...core,
      guard: this.#openGuard(core),
      takeReceipts: this.#takeReceipts,
      transports: this.providers.for(host),
      announce: (channel) => {
        this.#announce(channel);
      },
      timers: host,
      random: () => SHORTEST_PAUSE + (random.below(1000) / 1000) * (1 - SHORTEST_PAUSE),
    });
    const { acceptCode } = delivery;
    const askForCode = authCode({ acceptCode, country: undefined, isCode: () => true, now: wall });
    const askForNote = sendMarkNotes({
      messages: store.messages,
      keyForm: store.keyForm,
      wake: () => {
        delivery.wake('mark');
      },
      now: wall,
    });
    const made: Process = {
      ...{ host, delivers, delivery, isStopping: false },
      hear: (report) => this.#record?.(store, report, wall()) ?? Promise.resolve(),
      askForCode: (code, phone) =>
        this.#finishes(
          host,
          'the answer to a caller',
          this.#acknowledged(host, (call) => askForCode({ code, phone }, call)),
        ),
      askForNote: (note, classId, school) =>
        this.#finishes(
          host,
          'the answer to a caller',
          this.#acknowledged(host, (call) =>
            askForNote({ id: note, id_class: classId, baseUrlSchool: school }, call),
          ),
        ),
    };
    this.#processes = [...this.#processes, made];
    delivery.start();
  }

  crash({ host }: Process): void {
    this.judge.note(`${host.name} ends`);
    host.crash();
  }

  stall({ host }: Process, milliseconds: number): void {
    this.judge.note(`${host.name} stands still for ${String(milliseconds)} ms`);
    host.stall(milliseconds);
    // It may hold the lock.
    this.shared.disturb(undefined);
    this.itself.after(milliseconds, () => {
      this.shared.disturb(undefined);
    });
  }

  /** The next process to claim a message stands still before it can begin. */
  stallNextClaim(milliseconds: number): void {
    this.#stallAtClaim = milliseconds;
  }

  /** As after a signal. */
  stop(process: Process, withinMs: number): void {
    this.judge.note(`${process.host.name} is to stop within ${String(withinMs)} ms`);
    process.isStopping = true;
    const stopped = process.delivery.stop(withinMs).then(() => {
      this.crash(process);
    });
    void this.#finishes(process.host, `the stop of ${process.host.name}`, this.#mustNotFail(stopped));
  }

  /** Ends every process, also those that are about to stop. */
  end(): void {
    for (const { host } of this.#processes) host.crash();
  }

  jump(milliseconds: number): void {
    this.judge.note(`the clocks are put by ${String(milliseconds)} ms`);
    this.time.jump(milliseconds);
  }

  /** As an import does; one that fails is begun again. */
  loadLateNote(): void {
    this.judge.note('the note is loaded');
    const loaded = this.shared.engine.write((connection) => loadLateNote(connection, this.time.wall()));
    loaded.catch((error: unknown) => {
      if (!(error instanceof StoreError)) this.#failure = error;
      this.itself.after(IMPORT_PAUSE_MS, () => {
        this.loadLateNote();
      });
    });
  }

  async #acknowledged(
    host: Host,
    call: (log: { annotate: (fields: object) => void }) => Promise<unknown>,
  ): Promise<void> {
    let messageId: string | undefined;
    try {
      await call({
        annotate: (fields) => {
          if ('messageId' in fields) messageId = String(fields.messageId);
        },
      });
    } catch (error) {
      // Then the caller knows that it has nothing.
      const isToBe = host.isDead || error instanceof ClientError || error instanceof StoreError;
      if (!isToBe) this.#failure = error;
      return;
    }
    if (messageId === undefined) this.#failure = new Violation('a call was answered without a message');
    else this.judge.acknowledges(messageId);
  }

  /** Calls one process after the other until one acknowledges the report. */
  #report(report: GatewayReport): Promise<void> {
    return new Promise((resolve) => {
      const call = (): void => {
        const { processes } = this;
        const process = processes[this.random.below(Math.max(processes.length, 1))];
        let isHeard = false;
        process?.host.after(0, () => {
          process.hear(report).then(
            () => {
              isHeard = true;
              this.judge.hears(report);
              resolve();
            },
            (error: unknown) => {
              if (!(error instanceof StoreError) && !process.host.isDead) this.#failure ??= error;
            },
          );
        });
        this.itself.after(CALL_AGAIN_MS, () => {
          if (!isHeard) call();
        });
      };
      call();
    });
  }

  /** Some time later, or never. */
  #announce(channel: MessageChannel): void {
    if (this.random.once(4)) return;
    for (const { host, delivery, delivers } of this.processes) {
      if (!delivers) continue;
      host.after(this.random.below(50), () => {
        delivery.wake(channel);
      });
    }
  }

  async #finishes(host: Host, what: string, work: Promise<void>): Promise<void> {
    const unfinished = { host, what };
    this.#unfinished.add(unfinished);
    await work;
    this.#unfinished.delete(unfinished);
  }

  #mustNotFail(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** A defect that the delivery has caught is one all the same. */
  #log(host: Host): Writable {
    return new Writable({
      write: (line: Buffer, _encoding, done) => {
        const { msg, err } = JSON.parse(line.toString()) as { readonly msg: string; readonly err?: object };
        if (!host.isDead && msg === 'message processing failed')
          this.#failure = new Violation(JSON.stringify(err));
        done();
      },
    });
  }
}
