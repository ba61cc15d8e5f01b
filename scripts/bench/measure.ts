import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { median, RawClient, type ServerProcess, usageOf } from '../harness';
import { type Load, LOADS, type SchoolDatabases, startTarget } from '../harness/load';
import type { Caller } from './load-generator';
import { type Surroundings, type Target, type TargetName, TARGETS } from './targets';

const WARM_UP_SECONDS = 0.5;
/** A list of 1,000 students takes some servers so long that they are warm before. */
const MAX_WARM_UPS = 10;

export interface Pace {
  /** Length of one sample. */
  readonly seconds: number;
  /** Requests to each process before its first sample: so many until its code is compiled. */
  readonly warmUpAnswers: number;
  /** Samples of each target from each of its starts. */
  readonly rounds: number;
  /** How often each target is started: no two of its processes cost quite the same. */
  readonly starts: number;
  /** Connections to a process; undefined: as the load says. */
  readonly callers?: number | undefined;
  /** In the databases. */
  readonly students: number;
}

/**
 * One target under one load: medians of the rounds, and of processor time the least, since what else the machine
 * does can only add to it.
 */
export interface Measurement {
  readonly target: TargetName;
  /** Processor time of the target's processes for one request, in microseconds. */
  readonly cpuMicros: number;
  /** Counts the same of the database server beside it; 0 without one. */
  readonly databaseMicros: number;
  /** Median of both together. */
  readonly medianMicros: number;
  readonly requestsPerSecond: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  /** The body of one answer. */
  readonly answerBytes: number;
  /** Resident memory of the target's processes after the last round. */
  readonly residentBytes: number;
}

type Sample = Omit<Measurement, 'target' | 'answerBytes' | 'residentBytes' | 'medianMicros'>;

/** Processor time so far, in microseconds. */
interface Spent {
  readonly own: number;
  readonly database: number;
}

const NOTHING_SPENT: Spent = { own: 0, database: 0 };

/** Describes what was measured of a target from one start to its end. */
interface Started {
  readonly target: TargetName;
  readonly samples: readonly Sample[];
  readonly residentBytes: number;
}

interface Running {
  readonly name: TargetName;
  readonly target: Target;
  readonly process: ServerProcess;
  /** Holds what runs beside it. */
  readonly behind: ServerProcess | undefined;
  readonly samples: Sample[];
}

/** Measures the targets under one load, in turns: what else the machine does then falls on all of them. */
export async function measure(
  loadName: string,
  names: readonly TargetName[],
  databases: SchoolDatabases,
  generator: Caller,
  pace: Pace,
): Promise<readonly Measurement[]> {
  const load = LOADS[loadName];
  if (load === undefined) throw new Error(`There is no load ${loadName}.`);
  const answer = await answerOfOurs(load, databases.folder);
  const measured: Started[] = [];
  for (let start = 0; start < pace.starts; start += 1) {
    const running: Running[] = [];
    try {
      await startAll(running, names, load, { ...databases, answer });
      measured.push(
        ...(await measureRunning(running, loadName, load, databases.postgresPid, generator, pace)),
      );
    } finally {
      // What stands in front first.
      await Promise.all(running.map(({ process }) => process.stop()));
      await Promise.all(running.flatMap(({ behind }) => (behind === undefined ? [] : [behind.stop()])));
    }
  }
  return [...new Set(measured.map(({ target }) => target))].map((target) => {
    const starts = measured.filter((each) => each.target === target);
    return {
      target,
      ...summed(starts.flatMap(({ samples }) => samples)),
      answerBytes: answer.bytes,
      residentBytes: median(starts.map(({ residentBytes }) => residentBytes)),
    };
  });
}

/** Warms up what is running, and takes the samples of one start. */
async function measureRunning(
  running: readonly Running[],
  loadName: string,
  load: Load,
  postgresPid: number | undefined,
  generator: Caller,
  { seconds, warmUpAnswers, rounds, callers, students }: Pace,
): Promise<readonly Started[]> {
  const send = ({ target, process }: Running, seconds: number, begin: () => void) =>
    generator.run(
      {
        load: loadName,
        students,
        port: process.port,
        seconds,
        connections: (callers ?? load.connections) * target.processes,
        askEvery: target.processes / target.busy,
        fixed: target.fixed,
        header: target.header,
      },
      begin,
    );

  for (const each of running) {
    const enough = warmUpAnswers * each.target.processes;
    if (enough > 0 && each.target.warmUpSeconds > 0)
      await send(each, each.target.warmUpSeconds, () => undefined);
    for (let answers = 0, tries = 0; answers < enough && tries < MAX_WARM_UPS; tries += 1) {
      answers += (await send(each, WARM_UP_SECONDS, () => undefined)).answers;
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const each of running) {
      let before = NOTHING_SPENT;
      const result = await send(each, seconds, () => {
        before = spentBy(each, postgresPid);
      });
      const after = spentBy(each, postgresPid);
      if (after.own <= before.own)
        throw new Error('Linux counts no processor time in /proc/PID/task/TID/schedstat.');
      each.samples.push({
        cpuMicros: (after.own - before.own) / result.answers,
        databaseMicros: (after.database - before.database) / result.answers,
        requestsPerSecond: result.answers / result.seconds,
        p50Micros: result.p50Micros,
        p99Micros: result.p99Micros,
      });
    }
  }
  return running.map(({ name, samples, process }) => ({
    target: name,
    samples,
    residentBytes: process.usage.residentBytes,
  }));
}

/** Leaves the body in a file: it may be longer than a process can be given at its start. */
async function answerOfOurs(
  load: Load,
  folder: string,
): Promise<Surroundings['answer'] & { readonly bytes: number }> {
  const process = await startTarget(TARGETS.protocol.program, {});
  try {
    const client = new RawClient(process.port);
    const response = await client.ask(load.before + load.caseOf(0).value + load.after);
    client.close();
    const file = join(folder, 'answer');
    await writeFile(file, response.body);
    const type = response.header('Content-Type') ?? 'text/plain';
    return { file, type, bytes: response.body.length };
  } finally {
    await process.stop();
  }
}

/** Adds each target to the list as soon as it runs: also those of a start that fails are to be stopped. */
async function startAll(
  running: Running[],
  names: readonly TargetName[],
  load: Load,
  surroundings: Surroundings,
): Promise<void> {
  for (const name of names) {
    const target: Target = TARGETS[name];
    if (!target.takes(load)) continue;
    const behind = target.behind === undefined ? undefined : await startTarget(target.behind, {});
    const environment = target.environment(surroundings, behind?.port ?? 0);
    if (environment === undefined) continue;
    const process = await startTarget(target.program, environment);
    running.push({ name, target, process, behind, samples: [] });
  }
}

function spentBy({ target, process }: Running, postgresPid: number | undefined): Spent {
  const database = target.onPostgres && postgresPid !== undefined ? usageOf(postgresPid).cpuMicros : 0;
  return { own: process.usage.cpuMicros, database };
}

function summed(samples: readonly Sample[]): Sample & Pick<Measurement, 'medianMicros'> {
  const all = (figure: keyof Sample): readonly number[] => samples.map((sample) => sample[figure]);
  const least = samples.toSorted((one, other) => wholeCost(one) - wholeCost(other))[0];
  return {
    cpuMicros: least?.cpuMicros ?? 0,
    databaseMicros: least?.databaseMicros ?? 0,
    medianMicros: median(samples.map(wholeCost)),
    requestsPerSecond: median(all('requestsPerSecond')),
    p50Micros: median(all('p50Micros')),
    p99Micros: median(all('p99Micros')),
  };
}

/** Processor time of one request, the database server's included, in microseconds. */
export function wholeCost({
  cpuMicros,
  databaseMicros,
}: Pick<Measurement, 'cpuMicros' | 'databaseMicros'>): number {
  return cpuMicros + databaseMicros;
}
