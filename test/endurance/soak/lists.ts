import { join } from 'node:path';

import {
  BINDING_TITLES,
  type LoopDelay,
  markdownTable,
  type ServerProcess,
  PROGRAM,
} from '../../../scripts/harness';
import { listLoad, makeDatabases, runLoad, startTarget } from '../../../scripts/harness/load';
import { BINDINGS } from './mix';

const STUDENTS = 10_000;
const CONNECTIONS = [1, 4] as const;
const WARM_UP_SECONDS = 2;
const WATCH = join(__dirname, 'event-loop-delay.js');

/** Asks for nothing but the longest list, and returns how long the event loop was kept, a table in Markdown. */
export async function measureLists(seconds: number): Promise<string> {
  const databases = await makeDatabases({ postgres: false });
  try {
    const service = await startTarget(PROGRAM, databases.sqlite, ['--require', WATCH]);
    try {
      return await inTable(service, seconds);
    } finally {
      await service.stop();
    }
  } finally {
    databases.close();
  }
}

async function inTable(service: ServerProcess, seconds: number): Promise<string> {
  const rows: string[][] = [];
  const { port } = service;
  let asked = 0;
  for (const binding of BINDINGS) {
    const load = listLoad(STUDENTS, binding);
    for (const connections of CONNECTIONS) {
      await runLoad(load, { port, seconds: WARM_UP_SECONDS, connections, fixed: false });
      await delays(service, (asked += 1)); // Begins anew.
      const { answers, p50Micros, ...run } = await runLoad(load, {
        port,
        seconds,
        connections,
        fixed: false,
      });
      const { p99Ms, longestMs } = await delays(service, (asked += 1));
      rows.push([
        `${BINDING_TITLES[binding]}, ${String(connections)}`,
        (answers / run.seconds).toFixed(0),
        (p50Micros / 1000).toFixed(1),
        p99Ms.toFixed(1),
        longestMs.toFixed(1),
      ]);
    }
  }
  const asking = `${String(STUDENTS)} students, connections`;
  return markdownTable([asking, 'Lists/s', 'p50 ms', 'Event-loop delay p99, ms', 'Longest, ms'], rows, 1);
}

/** @param number - how often it was asked, with this time */
async function delays(service: ServerProcess, number: number): Promise<LoopDelay> {
  service.signal('SIGUSR2');
  const text = await service.says(new RegExp(`^event-loop delays ${String(number)}: (.*)\n`, 'm'));
  return JSON.parse(text) as LoopDelay; // As event-loop-delay.ts writes it.
}
