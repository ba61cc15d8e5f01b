import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import {
  codeRequest,
  FakeProvider,
  loadOneClass,
  markKeys,
  markRequest,
  phoneOf,
  ProviderLog,
  providerSettings,
} from '../harness/delivery';
import { callAtOnce, RawClient, readLoopDelay, ServiceProcess } from '../harness';

export interface Amounts {
  readonly codes: number;
  readonly students: number;
}

export interface RoundOptions extends Amounts {
  /** An empty database. */
  readonly databaseUrl: string;
  /** An empty folder. */
  readonly folder: string;
  readonly progress: (what: string) => void;
}

export interface Round {
  /** Codes stored durably per second, asked for over HTTP, while nothing is delivered. */
  readonly acceptedPerSecond: number;
  /** Codes that the provider got per second, while nothing is accepted. */
  readonly codesPerSecond: number;
  /** Push messages that the provider got per second. */
  readonly pushesPerSecond: number;
  /** From the call of SendMarkNotes until its messages are stored, in milliseconds. */
  readonly resolveMs: number;
  /** Longest time that the service's event loop stood still meanwhile, in milliseconds. */
  readonly blockedMs: number;
  /**
   * Holds how long codes took while the messages were made and sent: from the call until the provider had each, in
   * milliseconds.
   */
  readonly codeMs: readonly number[];
  /** Most that this program itself used of a core while it measured one of these; near 1, it was the limit. */
  readonly ownCores: number;
}

const CLIENTS = 32;
const CODE_PAUSE_MS = 50;
const LONGEST_DELIVERY_MS = 5 * 60_000;

/** Measures once, on a service of its own and a provider in this process that takes everything at once. */
export async function measureRound(options: RoundOptions): Promise<Round> {
  const { databaseUrl, folder, codes, students, progress } = options;
  const school = { students, notes: 1 };
  await loadOneClass(databaseUrl, folder, school);
  const provider = await new FakeProvider().start();
  const log = new ProviderLog(provider);
  const settings = {
    ...providerSettings(folder, provider.url),
    DATABASE_URL: databaseUrl,
    SAMPLE_DATA: 'false',
  };
  const phones = Array.from({ length: codes }, (_, at) => phoneOf(at));
  try {
    progress(`${codes.toLocaleString('en')} codes are accepted`);
    const accepting = await withService('web', folder, settings, ({ port }) =>
      ownShare(() => askForCodes(port, phones)),
    );

    progress('they are delivered');
    const delivering = await withService('worker', folder, settings, () =>
      ownShare(() => arrival(log, phones)),
    );

    progress(`a note goes to ${students.toLocaleString('en')} devices, and codes meanwhile`);
    const marks = markKeys(1, school);
    const sending = await withService('all', folder, settings, (service) =>
      ownShare(async () => {
        await longestBlockMs(service); // It begins anew each time it is read.
        const asked = performance.now();
        await service.ask(markRequest(1));
        let underWay = true;
        const pushed = arrival(log, marks).finally(() => (underWay = false));
        const sampled = codesWhile(() => underWay, service, log, codes);
        await service.line('message', { channel: 'mark', state: 'open' });
        const resolveMs = performance.now() - asked;
        const blockedMs = await longestBlockMs(service);
        await pushed;
        return { resolveMs, blockedMs, codeMs: await sampled };
      }),
    );
    return {
      acceptedPerSecond: codes / accepting.result,
      codesPerSecond: perSecond(log, phones),
      pushesPerSecond: perSecond(log, marks),
      ...sending.result,
      ownCores: Math.max(accepting.cores, delivering.cores, sending.cores),
    };
  } finally {
    await provider.stop();
  }
}

async function withService<T>(
  role: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
  work: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  const own = join(folder, role);
  mkdirSync(own);
  const service = new ServiceProcess(own, { settings: { ...settings, ROLE: role } });
  try {
    const died = service.ended().then(() => {
      throw new Error(`The service ended too early: ${service.errors}`);
    });
    return await Promise.race([service.listening().then(work), died]);
  } finally {
    await service.stop();
  }
}

/** @returns seconds */
async function askForCodes(port: number, phones: readonly string[]): Promise<number> {
  const clients = Array.from({ length: CLIENTS }, () => new RawClient(port));
  const start = performance.now();
  await callAtOnce(clients, phones, async (client, phone) => {
    const { status } = await client.ask(codeRequest(phone));
    if (status !== 200) throw new Error(`A code was answered with ${String(status)}`);
  });
  const seconds = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  return seconds;
}

/** Asks for one code after the other. */
async function codesWhile(
  underWay: () => boolean,
  service: ServiceProcess,
  log: ProviderLog,
  firstPhone: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (underWay()) {
    const phone = phoneOf(firstPhone + times.length);
    const asked = performance.now();
    await service.ask(codeRequest(phone));
    await arrival(log, [phone]);
    times.push(performance.now() - asked);
    await delay(CODE_PAUSE_MS);
  }
  return times;
}

async function arrival(log: ProviderLog, keys: readonly string[]): Promise<void> {
  if (!(await log.arrived(keys, LONGEST_DELIVERY_MS)))
    throw new Error('A message did not reach the provider.');
}

/** From the first to the last. */
function perSecond({ receipts }: ProviderLog, keys: readonly string[]): number {
  const all = keys.flatMap((key) => receipts.get(key) ?? []);
  const times = all.map(({ at }) => at).toSorted((a, b) => a - b);
  return ((times.length - 1) / ((times.at(-1) ?? 0) - (times[0] ?? 0))) * 1000;
}

async function longestBlockMs(service: ServiceProcess): Promise<number> {
  return readLoopDelay((await service.askAdmin({ path: '/metrics' })).text).longestMs;
}

/** Measures what this process uses of a core during some work. */
async function ownShare<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly cores: number }> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cores: (user + system) / 1000 / (performance.now() - start) };
}
