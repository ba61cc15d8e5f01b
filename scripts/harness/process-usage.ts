import { readdirSync, readFileSync } from 'node:fs';

const NANOSECONDS_PER_MICROSECOND = 1000;
/** USER_HZ is 100 on all of Node.js's platforms. */
const MICROSECONDS_PER_TICK = 10_000;
const PAGE_BYTES = 4096;

/** Fields of /proc/PID/stat behind the name, counted from 0 (proc(5) counts from 3). */
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const RESIDENT_PAGES = 21;

export interface Usage {
  /** Processor time so far, user and system, in microseconds. */
  readonly cpuMicros: number;
  readonly residentBytes: number;
}

/** Returns what a process and all its descendants use, by the system's own accounting. */
export function usageOf(root: number): Usage {
  const stats = readStats();
  const usage = { cpuMicros: 0, residentBytes: 0 };
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const fields = stats.get(pid);
    if (fields === undefined) continue;
    usage.cpuMicros += cpuMicrosOf(pid, fields);
    usage.residentBytes += Number(fields[RESIDENT_PAGES]) * PAGE_BYTES;
    for (const [child, { [PARENT]: parent }] of stats) if (Number(parent) === pid) waiting.push(child);
  }
  return usage;
}

/**
 * Processor time of a process. Its threads give it in nanoseconds, which short samples need; `stat` only in hundredths of
 * a second, but with threads that have ended, as some of .NET's do.
 */
function cpuMicrosOf(pid: number, stat: readonly string[]): number {
  const tasks = `/proc/${String(pid)}/task`;
  let nanoseconds = 0;
  for (const task of ifThere(() => readdirSync(tasks)) ?? []) {
    const [onProcessor = ''] = (
      ifThere(() => readFileSync(`${tasks}/${task}/schedstat`, 'utf8')) ?? ''
    ).split(' ', 1);
    nanoseconds += Number(onProcessor);
  }
  const ticks = Number(stat[USER_TICKS]) + Number(stat[SYSTEM_TICKS]);
  return Math.max(nanoseconds / NANOSECONDS_PER_MICROSECOND, ticks * MICROSECONDS_PER_TICK);
}

function readStats(): ReadonlyMap<number, readonly string[]> {
  const stats = new Map<number, readonly string[]>();
  for (const name of readdirSync('/proc')) {
    const text = /^\d+$/.test(name) ? ifThere(() => readFileSync(`/proc/${name}/stat`, 'utf8')) : undefined;
    // The name stands in parentheses and may hold some, and blanks.
    if (text !== undefined) stats.set(Number(name), text.slice(text.lastIndexOf(')') + 2).split(' '));
  }
  return stats;
}

/** Undefined instead of an error: processes and threads may end while they are looked at. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** How long the event loop of a service was kept, by perf_hooks; in milliseconds. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly longestMs: number;
}

/**
 * Reads it from the service's metrics, where it begins anew at each reading. The service looks at its clock every
 * 10 ms, and these are part of each delay.
 *
 * @throws Error when there is no such metric
 */
export function readLoopDelay(metrics: string): LoopDelay {
  const milliseconds = (name: string): number => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(metrics) ?? [];
    if (seconds === undefined) throw new Error(`The service has no metric of its event loop's ${name}.`);
    return Number(seconds) * 1000;
  };
  return { p99Ms: milliseconds('p99'), longestMs: milliseconds('max') };
}
