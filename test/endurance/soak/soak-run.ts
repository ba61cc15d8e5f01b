import { setTimeout as delay } from 'node:timers/promises';

import {
  exchange,
  type LoopDelay,
  readLoopDelay,
  type ServerProcess,
  PROGRAM,
} from '../../../scripts/harness';
import { makeDatabases, startTarget } from '../../../scripts/harness/load';
import { Clients } from './clients';
import { RequestMix } from './mix';

export interface SoakOptions {
  readonly periods: number;
  readonly secondsEach: number;
  readonly seed: number;
  readonly progress: (period: Period, number: number) => void;
}

/** Describes what was seen in one part of the run. */
export interface Period extends LoopDelay {
  readonly requestsPerSecond: number;
  /** Resident memory of the service, the mean of one look a second. */
  readonly residentBytes: number;
  readonly wrong: number;
}

export interface SoakReport {
  readonly periods: readonly Period[];
  readonly requests: number;
  readonly wrong: number;
  /** Holds what was wrong with the first wrong answers. */
  readonly errors: readonly string[];
  /** Resident memory of the service, second by second, in bytes. */
  readonly memory: readonly number[];
}

const CONNECTIONS = 16;

/** Sends the mix of requests to a service of its own, and watches it. */
export async function runSoak({ periods, secondsEach, seed, progress }: SoakOptions): Promise<SoakReport> {
  const databases = await makeDatabases({ postgres: false });
  try {
    const service = await startTarget(PROGRAM, { ...databases.sqlite, ADMIN_PORT: '0' });
    const mix = new RequestMix(seed);
    const clients = new Clients(service.port, () => mix.next());
    const seen: Period[] = [];
    const memory: number[] = [];

    const watch = async (): Promise<void> => {
      await loopDelay(service); // What it did at its start does not count.
      for (let number = 1; number <= periods; number += 1) {
        const [start, requests, wrong] = [performance.now(), clients.requests, clients.wrong];
        for (let second = 1; second <= secondsEach; second += 1) {
          await delay(Math.max(0, start + second * 1000 - performance.now()));
          memory.push(service.usage.residentBytes);
        }
        const period: Period = {
          ...(await loopDelay(service)),
          requestsPerSecond: ((clients.requests - requests) / (performance.now() - start)) * 1000,
          residentBytes: mean(memory.slice(-secondsEach)),
          wrong: clients.wrong - wrong,
        };
        seen.push(period);
        progress(period, number);
      }
      clients.stop();
    };

    try {
      await Promise.all([clients.run(CONNECTIONS), watch()]);
    } finally {
      clients.stop();
      await service.stop();
    }
    const { requests, wrong, errors } = clients;
    return { periods: seen, requests, wrong, errors, memory };
  } finally {
    databases.close();
  }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the delays of the service's event loop since the last call. */
async function loopDelay(service: ServerProcess): Promise<LoopDelay> {
  const adminPort = Number(await service.says(/Console: http:\S+:(\d+)\//));
  return readLoopDelay((await exchange(adminPort, { path: '/metrics' })).text);
}
