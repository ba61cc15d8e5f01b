import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time for programs in hundredths of a second, whatever its own clock does. */
const TICK_MICROSECONDS = 10_000;
const PAGE_BYTES = 4096;

/** Fields of /proc/PID/stat behind the name, counted from 0 (proc(5) counts from 3). */
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const RESIDENT_PAGES = 21;

export interface Usage {
  /** Processor time so far, user and system, in microseconds. */
  readonly cpuMicros: number;
  readonly residentBytes: number;
}

/** What a process and all its descendants use, by the system's own accounting. */
export function usageOf(root: number): Usage {
  const stats = readStats();
  const usage = { cpuMicros: 0, residentBytes: 0 };
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const fields = stats.get(pid);
    if (fields === undefined) continue;
    usage.cpuMicros += (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * TICK_MICROSECONDS;
    usage.residentBytes += Number(fields[RESIDENT_PAGES]) * PAGE_BYTES;
    for (const [child, { [PARENT]: parent }] of stats) if (Number(parent) === pid) waiting.push(child);
  }
  return usage;
}

function readStats(): ReadonlyMap<number, readonly string[]> {
  const stats = new Map<number, readonly string[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name stands in parentheses and may hold some, and blanks.
      stats.set(Number(name), text.slice(text.lastIndexOf(')') + 2).split(' '));
    } catch {
      // It has ended meanwhile.
    }
  }
  return stats;
}
