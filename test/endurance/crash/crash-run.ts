import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import {
  codeRequest,
  FakeProvider,
  loadOneClass,
  markKeys,
  markRequest,
  type OneClass,
  phoneOf,
  ProviderLog,
  type Receipt,
  type ReceivedRequest,
  providerSettings,
  writeServiceAccount,
  writeRoute,
} from '../../../scripts/harness/delivery';
import { callAtOnce, exchange, type RawRequest, ServiceProcess } from '../../../scripts/harness';
import { GatewayReports, reportsOf } from './gateway-reports';
import { explainRepetitions, heldBy, type Killed } from './repetitions';
import { unsentMessages } from './unsent';

export interface CrashOptions {
  /** An empty database. */
  readonly databaseUrl: string;
  /** An empty folder. */
  readonly folder: string;
  readonly kills: number;
  /** Processes on the database; one of them is killed at a time. */
  readonly nodes: number;
  readonly random: () => number;
}

export interface CrashReport {
  readonly kills: number;
  /** Calls that were answered with success. */
  readonly acknowledged: number;
  /** Messages that those calls stand for. */
  readonly messages: number;
  /** Counts those of them that never reached the provider. */
  readonly lost: number;
  /** Holds what the store says of messages that were not sent. */
  readonly unsent: readonly string[];
  /**
   * Messages that reached the provider again since the process that had sent them was killed before the store had an
   * outcome.
   */
  readonly sentTwice: number;
  /** Holds the longest time among them between its answer and the kill, in milliseconds. */
  readonly longestUnrecordedMs: number;
  /** Messages that reached it twice for no such reason. */
  readonly unexplained: number;
  /** Codes that the second gateway took, since the first refuses some. */
  readonly fallbacks: number;
  /** Codes that both gateways took. */
  readonly throughTwo: number;
  /** Receipts that the service acknowledged. */
  readonly receipts: number;
  /** Acknowledged receipts that are not stored with their messages. */
  readonly receiptsLost: number;
}

/** Every request is for a note of its own, so that none is a repetition. */
export const SCHOOL: OneClass = { students: 4, notes: 5000 };
export const CLIENTS = 8;
/** One in this number of calls is for a class. */
const MARKS_EVERY = 10;
const LEASE_SECONDS = 6;
/** Codes to phones that end so are refused by the first gateway a few times; the second takes them at once. */
const REFUSED_END = '3"';
/**
 * More than after which the next gateway is asked. A message that the first may have taken stays with it, and arrives
 * then.
 */
const REFUSALS = 3;
const LONGEST_RUN_MS = 400;
/** A call that failed is followed by the next one after this time at the latest, where its node was not killed. */
const RETRY_MS = 1000;
/** After the last kill: leases run out, and what waits is sent. */
const SETTLE_MS = 120_000;
/** Receipts that came before their SMS was recorded as sent are recorded within seconds. */
const JOINED_MS = 30_000;
/** A killed process holds no message for longer than its lease. */
export const LONGEST_UNRECORDED_MS = LEASE_SECONDS * 1000;

/** The whole service under load, killed again and again; what was acknowledged must reach the provider. */
export async function runCrashes({
  databaseUrl,
  folder,
  kills,
  nodes,
  random,
}: CrashOptions): Promise<CrashReport> {
  await loadOneClass(databaseUrl, folder, SCHOOL);
  const provider = await new FakeProvider().start();
  const settings = {
    DATABASE_URL: databaseUrl,
    SAMPLE_DATA: 'false',
    PROVIDER_TIMEOUT_SECONDS: String(LEASE_SECONDS / 3),
    ...providerSettings(folder, provider.url),
  };
  const lives = new Lives(folder, provider.url, settings);
  const running = Array.from({ length: nodes }, (_, at) => lives.begin(at));
  const clients = new Clients(running);
  const reports = new GatewayReports(running);
  const log = new ProviderLog(provider, refusalsOfFirst(), (request) => reports.take(request));
  const killed: Killed[] = [];
  let receiptsLost: number;
  try {
    await Promise.all(running.map((node) => node.listening()));
    const work = clients.run();
    for (let kill = 0; kill < kills; kill += 1) {
      const victim = kill % nodes;
      await clients.acknowledges(CLIENTS);
      await delay(random() * LONGEST_RUN_MS);
      const process = running[victim];
      if (process === undefined) throw new Error('There is no such node');
      process.signal('SIGKILL');
      await process.ended();
      const at = performance.now();
      killed.push({ at, life: lives.of(process), held: await heldBy(databaseUrl, process.pid) });
      running[victim] = await lives.begin(victim).listening();
      clients.started();
    }
    await clients.acknowledges(CLIENTS);
    clients.stop();
    await work;
    await log.arrived(clients.expected, SETTLE_MS);
    await reports.ended();
    receiptsLost = await reports.lost(databaseUrl, JOINED_MS);
    for (const node of running) await node.stop();
  } finally {
    clients.stop();
    reports.stop();
    for (const node of running) node.signal('SIGKILL');
    await Promise.all(running.map((node) => node.ended()));
    await provider.stop();
  }

  const expected = clients.expected;
  const { explained, unexplained } = explainRepetitions(log.receipts, killed);
  return {
    kills,
    acknowledged: clients.acknowledged,
    messages: expected.length,
    lost: expected.filter((key) => !log.receipts.has(key)).length,
    unsent: await unsentMessages(databaseUrl),
    sentTwice: explained.length,
    longestUnrecordedMs: Math.max(0, ...explained),
    unexplained,
    receipts: reports.acknowledged,
    receiptsLost,
    ...byGateway([...log.receipts.values()]),
  };
}

function refusalsOfFirst(): (request: ReceivedRequest) => boolean {
  const refused = new Map<string, number>();
  return ({ path, body }) => {
    if (!path.endsWith('/first') || !body.includes(REFUSED_END)) return false;
    const times = refused.get(body) ?? 0;
    refused.set(body, times + 1);
    return times < REFUSALS;
  };
}

function byGateway(receipts: readonly (readonly Receipt[])[]): Pick<CrashReport, 'fallbacks' | 'throughTwo'> {
  const took = (gateway: string) => (ofMessage: readonly Receipt[]) =>
    ofMessage.some(({ path }) => path.endsWith(`/${gateway}`));
  const fallbacks = receipts.filter(took('second'));
  return { fallbacks: fallbacks.length, throughTwo: fallbacks.filter(took('first')).length };
}

/** Each start of a node has addresses of its own at the provider. */
class Lives {
  readonly #folder: string;
  readonly #provider: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #names = new Map<ServiceProcess, string>();

  constructor(folder: string, provider: string, settings: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#provider = provider;
    this.#settings = settings;
  }

  begin(node: number): ServiceProcess {
    const own = join(this.#folder, `node-${String(node)}`);
    mkdirSync(own, { recursive: true });
    const life = `life-${String(this.#names.size + 1)}`;
    const addresses = {
      GATEWAYS_FILE: writeRoute(own, {
        first: { url: `${this.#provider}/sms/${life}/first`, receipts: reportsOf('first') },
        second: { url: `${this.#provider}/sms/${life}/second`, receipts: reportsOf('second') },
      }),
      FCM_SERVICE_ACCOUNT: writeServiceAccount(
        own,
        `${this.#provider}/token`,
        `${this.#provider}/push/${life}`,
      ),
    };
    const process = new ServiceProcess(own, { settings: { ...this.#settings, ...addresses } });
    this.#names.set(process, life);
    return process;
  }

  of(process: ServiceProcess): string {
    return this.#names.get(process) ?? '';
  }
}

/** Callers that ask one call after the other of any node that answers. */
export class Clients {
  /** Keys of the messages that acknowledged calls stand for. */
  readonly expected: string[] = [];
  /** Counts what other calls got. */
  readonly refusals = new Map<string, number>();
  /** The longest that a call waited for its answer; may be set back. */
  slowestMs = 0;
  readonly #nodes: readonly ServiceProcess[];
  #acknowledged = 0;
  #stopped = false;
  #onAcknowledged: () => void = () => undefined;
  #onStarted: () => void = () => undefined;
  /** Resolves when a node answers again. */
  #started = this.#nextStart();

  constructor(nodes: readonly ServiceProcess[]) {
    this.#nodes = nodes;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get refused(): number {
    return [...this.refusals.values()].reduce((sum, count) => sum + count, 0);
  }

  async run(): Promise<void> {
    const nodes = Array.from({ length: CLIENTS }, (_, at) => at % this.#nodes.length);
    await callAtOnce(nodes, this.#calls(), async (node, { request, keys }) => {
      const port = this.#nodes[node]?.port ?? 0;
      const asked = performance.now();
      const answer = port === 0 ? undefined : await exchange(port, request).catch(() => undefined);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - asked);
      if (answer?.status === 200) {
        this.#acknowledged += 1;
        this.expected.push(...keys);
        this.#onAcknowledged();
        return;
      }
      const refusal = answer === undefined ? 'no answer' : `${String(answer.status)} ${answer.text.trim()}`;
      this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
      await Promise.race([this.#started, delay(RETRY_MS)]);
    });
  }

  /** Resolves when so many more calls are acknowledged. */
  async acknowledges(more: number): Promise<void> {
    const enough = this.#acknowledged + more;
    while (this.#acknowledged < enough) await new Promise<void>((done) => (this.#onAcknowledged = done));
  }

  /** A node that was killed answers again. */
  started(): void {
    this.#onStarted();
    this.#started = this.#nextStart();
  }

  stop(): void {
    this.#stopped = true;
    this.#onStarted();
  }

  #nextStart(): Promise<void> {
    return new Promise((resolve) => (this.#onStarted = resolve));
  }

  *#calls(): Generator<{ readonly request: RawRequest; readonly keys: readonly string[] }> {
    for (let number = 1; !this.#stopped; number += 1) {
      const note = number / MARKS_EVERY;
      const phone = phoneOf(number);
      if (Number.isInteger(note) && note <= SCHOOL.notes) {
        yield { request: markRequest(note), keys: markKeys(note, SCHOOL) };
      } else yield { request: codeRequest(phone), keys: [phone] };
    }
  }
}
