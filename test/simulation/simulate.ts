import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Random } from '../harness/random';
import { loadCodeGuard, loadReceipts, type OpenCodeGuard, type TakeReceipts } from '../../src/delivery';
import type { EngineName } from '../../src/store/engine/schema';
import type { StatementTwin } from './host-engine';
import { type JudgedRules, Violation } from './judge';
import { someWays } from './providers';
import {
  CLASSES,
  DELIVERY_FILE,
  NOTES,
  openPostgresSchool,
  openSqliteSchool,
  type SchoolDatabase,
  SCHOOLS,
} from './school';
import { World, type WorldSettings } from './world';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY = Date.parse('2026-03-02T00:00:00Z');

/** Steps after which a world without faults must have come to rest. */
const MAX_LAST_STEPS = 20_000;
/** So long nothing has happened before the clocks are put to when something is to happen. */
const IDLE_MS = 1500;
/**
 * Turns of the event loop after which a database that nobody uses any more must have let go of its last transaction.
 */
const MAX_TURNS_TO_REST = 20;

const ENGINES: readonly [EngineName, EngineName] = ['sqlite', 'postgres'];
const OPEN = { sqlite: openSqliteSchool, postgres: openPostgresSchool } as const;

export interface Finding {
  readonly seed: number;
  readonly what: string;
  /** Holds what happened, in order. */
  readonly events: readonly string[];
}

export interface SimulationReport {
  readonly messages: number;
  readonly steps: number;
  /** Undefined where every promise was kept. */
  readonly finding: Finding | undefined;
}

/** Runs one world per seed. It keeps two databases in memory, which the worlds use one after the other. */
export class Simulation {
  readonly #databases: Record<EngineName, SchoolDatabase>;
  readonly #folder: string;
  readonly #openGuard: OpenCodeGuard;
  readonly #takeReceipts: TakeReceipts | undefined;

  private constructor(
    databases: Record<EngineName, SchoolDatabase>,
    folder: string,
    openGuard: OpenCodeGuard,
    takeReceipts: TakeReceipts | undefined,
  ) {
    this.#databases = databases;
    this.#folder = folder;
    this.#openGuard = openGuard;
    this.#takeReceipts = takeReceipts;
  }

  static async open(): Promise<Simulation> {
    const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
    writeFileSync(join(folder, 'delivery.json'), JSON.stringify(DELIVERY_FILE));
    const databases = { sqlite: await OPEN.sqlite(), postgres: await OPEN.postgres() };
    return new Simulation(databases, folder, await loadCodeGuard(), await loadReceipts());
  }

  async close(): Promise<void> {
    for (const { engine } of Object.values(this.#databases)) await engine.close();
    rmSync(this.#folder, { recursive: true });
  }

  /**
   * Runs the world of a seed: some minutes with faults, and then, without any, until every message has come to its
   * end. The same seed gives the same world.
   *
   * @param twin - puts a planted bug in place of a statement
   */
  async run(seed: number, twin: StatementTwin = (statement) => statement): Promise<SimulationReport> {
    const random = new Random(seed);
    const engine = random.pick(ENGINES);
    const database = this.#databases[engine];
    const world = new World(random, startOf(random), database, this.#settings(random), twin);
    let steps = 0;
    let broken: Error | undefined;
    try {
      const endsAt = plan(world);
      while (world.time.elapsed < endsAt) {
        await world.step();
        steps += 1;
      }
      calm(world);
      steps += await untilAllHaveEnded(world);
    } catch (error) {
      broken = asError(error);
    }
    world.end();
    if (await hasComeToRest(database)) {
      broken ??= await storedOtherwise(world, database);
      await database.reset();
    } else {
      // Nobody would ever come to write to it again.
      this.#databases[engine] = await OPEN[engine]();
      broken ??= new Violation('a transaction stays open when every process has ended');
    }
    const { messages, events } = world.judge;
    if (broken === undefined) return { messages, steps, finding: undefined };
    const what = broken instanceof Violation ? broken.message : String(broken.stack);
    return { messages, steps, finding: { seed, what, events: [`on ${engine}`, ...events] } };
  }

  #settings(random: Random): WorldSettings {
    const rules: JudgedRules = {
      repeatMs: random.pick([60, 20, 0]) * SECOND_MS,
      coolDownMs: random.pick([0, 0, 15]) * SECOND_MS,
      perTenMinutes: random.pick([2, 3, 0]),
      perDay: random.pick([4, 6, 0]),
      perDayOverall: random.pick([0, 0, 8]),
      noteRepeatMs: random.pick([600, 60]) * SECOND_MS,
    };
    const seconds = (ms: number): string => String(ms / SECOND_MS);
    const environment = {
      DATA_DIR: this.#folder,
      DELIVERY_FILE: join(this.#folder, 'delivery.json'),
      CODE_REPEAT_SECONDS: seconds(rules.repeatMs),
      CODE_LIMITS: codeLimits(rules),
      REPEAT_WINDOW: seconds(rules.noteRepeatMs),
      SMS_CONCURRENCY: String(random.pick([16, 1, 3])),
      KEEP_MESSAGES_DAYS: String(random.pick([90, 0, 3])),
      PROVIDER_TIMEOUT_SECONDS: String(random.pick([10, 5])),
    };
    const others = Array.from({ length: random.below(3) }, () => !random.once(3));
    return {
      ...{ environment, rules, processes: [true, ...others] },
      ...{ openGuard: this.#openGuard, takeReceipts: this.#takeReceipts },
    };
  }
}

/** Most worlds begin shortly before a school's night begins or ends. */
function startOf(random: Random): number {
  const hours = [12, 15.5, 22, 25.5, random.below(24)] as const;
  return DAY + random.pick(hours) * HOUR_MS - random.below(90 * SECOND_MS);
}

/** Each world has faults of some kinds only: with all at once, one hides what the other would show. */
const FAULTS: readonly ((world: World, endsAt: number) => void)[] = [
  (world, endsAt) => {
    atSomeTimes(world, endsAt, 3, () => {
      const process = anyProcess(world);
      if (process === undefined) return;
      world.crash(process);
      world.itself.after(world.random.below(10 * SECOND_MS), () => {
        world.start(process.delivers);
      });
    });
  },
  (world, endsAt) => {
    // A provider that takes its time gives the lease time to end.
    world.providers.weather.lateOnceIn = 2;
    atSomeTimes(world, endsAt, 4, () => {
      const process = anyProcess(world);
      const milliseconds = world.random.pick([15, 30, 40]) * SECOND_MS - world.random.below(10 * SECOND_MS);
      if (world.random.once(2)) world.stallNextClaim(milliseconds);
      else if (process !== undefined) world.stall(process, milliseconds);
    });
  },
  (world, endsAt) => {
    atSomeTimes(world, endsAt, 2, () => {
      const process = anyProcess(world);
      if (process === undefined) return;
      world.stop(process, world.random.pick([25, 5, 0]) * SECOND_MS);
      world.itself.after(world.random.below(10 * SECOND_MS), () => {
        world.start(process.delivers);
      });
    });
  },
  (world, endsAt) => {
    const jumps = [5 * SECOND_MS, 20 * SECOND_MS, 6 * MINUTE_MS, HOUR_MS, 9 * HOUR_MS] as const;
    atSomeTimes(world, endsAt, 2, () => {
      world.jump(world.random.pick(jumps) * (world.random.once(2) ? 1 : -1));
    });
  },
  (world, endsAt) => {
    atSomeTimes(world, endsAt, 3, () => {
      world.judge.note('the store fails');
      world.shared.weather.failsOnceIn = world.random.pick([1, 3, 20]);
      world.itself.after(world.random.below(40 * SECOND_MS), () => {
        world.shared.weather.failsOnceIn = 0;
      });
    });
  },
  (world, endsAt) => {
    atSomeTimes(world, endsAt, 2, () => {
      world.judge.note('the store is slow');
      world.shared.weather.slownessMs = world.random.pick([500, 5000, 12_000]);
      world.itself.after(world.random.below(20 * SECOND_MS), () => {
        world.shared.weather.slownessMs = 0;
      });
    });
  },
];

/** @returns when the faults end */
function plan(world: World): number {
  const { random, providers, time } = world;
  const endsAt = random.pick([20, 45, 90]) * SECOND_MS;
  providers.weather.lateOnceIn = random.pick([0, 0, 2]);
  for (const fault of FAULTS) if (random.once(3)) fault(world, endsAt);
  if (!random.once(4)) {
    atSomeTimes(world, endsAt, 3, () => {
      providers.weather.trouble = random.pick([100, 50, 20, 0]);
      providers.weather.ways = someWays(time);
      world.judge.note(
        `${String(providers.weather.trouble)} % of the requests fail: ${providers.weather.ways.join(', ')}`,
      );
    });
  }
  const phones = Array.from({ length: 1 + random.below(4) }, (_, at) => `+9055500000${String(10 + at)}`);
  const codes = 1 + random.below(4);
  atSomeTimes(world, endsAt, 16, () => {
    const process = anyProcess(world);
    const phone = phones[random.below(phones.length)] ?? '';
    process?.host.after(0, () => void process.askForCode(String(random.below(codes)), phone));
  });
  atSomeTimes(world, endsAt, 6, () => {
    const process = anyProcess(world);
    const [note, classId, { url }] = [random.pick(NOTES), random.pick(CLASSES), random.pick(SCHOOLS)];
    process?.host.after(0, () => void process.askForNote(note, classId, url));
  });
  world.itself.after(random.below(endsAt), () => {
    world.loadLateNote();
  });
  return endsAt;
}

function atSomeTimes(world: World, endsAt: number, most: number, action: () => void): void {
  const { random, itself } = world;
  const times = 1 + random.below(most);
  const together = random.below(endsAt);
  for (let time = 0; time < times; time += 1) {
    // Some at the same time: what happens at once finds more.
    const at = random.once(2) ? together + random.below(20) : random.below(endsAt);
    itself.after(Math.min(at, endsAt - 1), action);
  }
}

function anyProcess({ processes, random }: World) {
  return processes[random.below(Math.max(processes.length, 1))];
}

function calm(world: World): void {
  world.judge.note('no more faults');
  Object.assign(world.shared.weather, { failsOnceIn: 0, slownessMs: 0 });
  Object.assign(world.providers.weather, { trouble: 0, ways: [], lateOnceIn: 0 });
  if (!world.processes.some(({ delivers }) => delivers)) world.start(true);
}

/** Every message, every call, every stop. */
async function untilAllHaveEnded(world: World): Promise<number> {
  const { judge, time } = world;
  for (let step = 0; step < MAX_LAST_STEPS; step += 1) {
    const isReported = !world.providers.isReporting && judge.unreported.length === 0;
    if (isReported && judge.open.length === 0 && !judge.isSending && world.unfinished.length === 0)
      return step;
    const isIdle = isReported && time.elapsed > judge.progressAt + IDLE_MS && !judge.isSending;
    const next = Math.min(...judge.open.map(({ at }) => at));
    if (isIdle && next > time.wall() && judge.open.length > 0) {
      world.jump(next - time.wall());
      judge.progressAt = time.elapsed;
    }
    await world.step();
  }
  const left = [
    ...judge.open.map(({ id, state }) => `${id} (${state})`),
    ...world.unfinished,
    ...judge.unreported,
  ];
  throw new Violation(`does not come to an end: ${left.join(', ')}`);
}

/** Returns true if all that waits for the end of a process has had its turn, and the next writer need not wait. */
async function hasComeToRest({ engine }: SchoolDatabase): Promise<boolean> {
  const written = engine.write(() => Promise.resolve(true));
  const inTime = async (): Promise<boolean> => {
    for (let turn = 0; turn < MAX_TURNS_TO_REST; turn += 1) await new Promise(setImmediate);
    return false;
  };
  return Promise.race([written, inTime()]);
}

async function storedOtherwise({ judge }: World, { engine }: SchoolDatabase): Promise<Error | undefined> {
  try {
    const { kysely } = engine.direct;
    const columns = ['id', 'channel', 'state', 'payload', 'receipt'] as const;
    judge.checkStored(await kysely.selectFrom('messages').select(columns).execute());
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Writes limits as CODE_LIMITS has them. */
function codeLimits({ perTenMinutes, perDay, coolDownMs, perDayOverall }: JudgedRules): string {
  const written: readonly (readonly [number, string])[] = [
    [perTenMinutes, `${String(perTenMinutes)}/10m`],
    [perDay, `${String(perDay)}/24h`],
    [coolDownMs, `1/${String(coolDownMs / SECOND_MS)}s`],
    [perDayOverall, `all:${String(perDayOverall)}/day`],
  ];
  return written.flatMap(([limit, text]) => (limit === 0 ? [] : [text])).join(',') || 'off';
}
