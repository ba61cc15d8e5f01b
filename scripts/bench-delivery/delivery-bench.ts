import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openStore } from '../../src/store';
import type { FakeProvider } from '../../test/delivery/fake-provider';
import { newServiceAccount } from '../../test/delivery/service-account';
import { ServiceProcess } from '../../test/service/service-process';
import { RawConnection } from '../../test/support/raw-http';
import { get } from '../../test/support/soap-requests';

export interface BenchOptions {
  /** An empty database. */
  readonly databaseUrl: string;
  /** An empty folder. */
  readonly folder: string;
  readonly provider: FakeProvider;
  readonly codes: number;
  readonly students: number;
}

export interface BenchReport {
  /** Codes stored durably per second, over HTTP. */
  readonly acceptedPerSecond: number;
  /** Codes that the provider has taken per second. */
  readonly deliveredPerSecond: number;
  /** From the call of SendMarkNotes until its messages are stored, in milliseconds. */
  readonly resolveMs: number;
  /** Longest time that the event loop stood still meanwhile, in milliseconds. */
  readonly blockedMs: number;
  /** Push messages that the provider has taken per second. */
  readonly pushedPerSecond: number;
  /** From a code's acceptance while the marks are queued until the provider had it; the longest, in milliseconds. */
  readonly codeMs: number;
}

const CLIENTS = 32;
const CODES_MEANWHILE = 20;
const SCHOOL = 'http://school.example';

/** Measures what a service accepts, and what it delivers to a provider that takes everything at once. */
export async function benchDelivery(options: BenchOptions): Promise<BenchReport> {
  const { databaseUrl, folder, provider, codes, students } = options;
  await loadClass(databaseUrl, folder, students);
  const run = (role: string): Promise<ServiceProcess> => {
    const own = join(folder, role);
    mkdirSync(own, { recursive: true });
    return new ServiceProcess(own, { settings: { ...settingsFor(options), ROLE: role } }).listening();
  };

  const web = await run('web');
  const acceptSeconds = await seconds(() => askForCodes(web.port, 0, codes));
  await web.stop();
  const worker = await run('worker');
  // It begins before it listens.
  const first = provider.received.length;
  const deliverSeconds = await seconds(() => provider.receives(codes));
  await worker.stop();

  const all = await run('all');
  await longestBlockMs(all); // It begins anew each time it is read.
  const marksAt = performance.now();
  const query = new URLSearchParams({ id: 'N1', id_class: '1A', baseUrlSchool: SCHOOL });
  await all.ask(get('NotificationNotes', 'SendMarkNotes', query.toString()));
  await all.line('message', { channel: 'mark', state: 'sent' });
  const resolveMs = performance.now() - marksAt;
  const blockedMs = await longestBlockMs(all);
  const pushStart = performance.now();
  let codeMs = 0;
  for (let at = 0; at < CODES_MEANWHILE; at += 1) {
    const phone = phoneOf(codes + at);
    const asked = performance.now();
    await all.ask(codeRequest(phone));
    while (!provider.received.some(({ body }) => body.includes(phone))) {
      await provider.receives(provider.received.length + 1);
    }
    codeMs = Math.max(codeMs, performance.now() - asked);
  }
  await provider.receives(codes + CODES_MEANWHILE + students);
  const pushSeconds = (performance.now() - pushStart) / 1000;
  await all.stop();
  return {
    acceptedPerSecond: codes / acceptSeconds,
    deliveredPerSecond: (codes - first) / deliverSeconds,
    resolveMs,
    blockedMs,
    pushedPerSecond: students / pushSeconds,
    codeMs,
  };
}

async function askForCodes(port: number, from: number, count: number): Promise<void> {
  let next = from;
  const client = async (): Promise<void> => {
    const connection = await RawConnection.open(port);
    while (next < from + count) {
      const phone = phoneOf(next);
      next += 1;
      connection.send({ ...codeRequest(phone), headers: [['Connection', 'keep-alive']] });
      const { status } = await connection.read();
      if (status !== 200) throw new Error(`A code was answered with ${String(status)}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

const phoneOf = (number: number): string => `+90555${String(number).padStart(7, '0')}`;

function codeRequest(phone: string) {
  return get('AuthCodeSending', 'AuthCode', new URLSearchParams({ code: '4711', phone }).toString());
}

async function longestBlockMs(service: ServiceProcess): Promise<number> {
  const { text } = await service.askAdmin({ path: '/metrics' });
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

function settingsFor({ databaseUrl, folder, provider }: BenchOptions): Readonly<Record<string, string>> {
  const accountFile = join(folder, 'service-account.json');
  writeFileSync(accountFile, JSON.stringify(newServiceAccount()));
  return {
    DATABASE_URL: databaseUrl,
    SAMPLE_DATA: 'false',
    SMS_CHANNEL: 'http',
    SMS_HTTP_URL: provider.url,
    PUSH_CHANNEL: 'fcm',
    FCM_SERVICE_ACCOUNT: accountFile,
    FCM_URL: provider.url,
    FCM_TOKEN_URL: `${provider.url}/token`,
  };
}

/** One class, so large that its note is as many messages. */
async function loadClass(databaseUrl: string, folder: string, students: number): Promise<void> {
  const csv = join(folder, 'csv');
  mkdirSync(csv);
  const numbers = Array.from({ length: students }, (_, at) => String(at + 1));
  const files: Readonly<Record<string, readonly string[]>> = {
    'schools.csv': ['base_url,name', `${SCHOOL},School`],
    'classes.csv': ['school_base_url,id_class,name', `${SCHOOL},1A,Class`],
    'students.csv': [
      'school_base_url,id_student,fullName,ShowActive,id_class',
      ...numbers.map((at) => `${SCHOOL},S${at},Student,Y,1A`),
    ],
    'devices.csv': [
      'id,school_base_url,id_student,token,platform,last_seen',
      ...numbers.map((at) => `D${at},${SCHOOL},S${at},token-${at},android,`),
    ],
    'notes.csv': ['school_base_url,id,note_type,title,text', `${SCHOOL},N1,,Title,Text`],
  };
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(csv, name), `${lines.join('\n')}\n`);
  const store = await openStore({ url: databaseUrl });
  await store.importFolder(csv);
  await store.close();
}
