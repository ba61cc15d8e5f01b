// The way of docs/migrate-from-asmx.md, from the first import to the end of the old server, with callers all along.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { exchange, request, type ServiceProcess } from '../../../../scripts/harness';
import {
  FakeProvider,
  ProviderLog,
  providerSettings,
  writeRoute,
} from '../../../../scripts/harness/delivery';
import type { Binding } from '../../../../src/asmx';
import { BINDINGS } from '../../../../src/asmx/internal';
import { MINUTE_MS } from '../../../../src/support/durations';
import { writeLine } from '../../../../src/features/migration/traffic/own-lines';
import { CALLS } from '../../../harness/contract-operations';
import { runCommandsHere } from '../../../harness/replace-spawn';
import { type CommandEnd, runCommand } from '../../../harness/run-command';
import { describeOnPostgres, useDatabase } from '../../../harness/test-databases';
import { useServices } from '../../../service/use-services';
import { type ServiceHere, useServicesHere } from '../../../service/use-services-here';
import { GatewayReports, reportsOf } from '../../../endurance/crash/gateway-reports';
import { OldSystem, writeMap } from './old-system';

const SCHOOL = 'http://okul.example';
const NOTES = 400;
const DATA = `
  insert into okullar values ('${SCHOOL}', 'Okul');
  insert into siniflar values ('${SCHOOL}', '9A', 'Dokuz A');
  insert into ogrenciler values ('${SCHOOL}', 'S1', 'Çağrı Şimşek', 'Evet', '9A'),
    ('${SCHOOL}', 'S2', 'Işık İnce', 'Evet', '9a'), ('${SCHOOL}', 'S3', 'Gitti', 'Hayır', null);
  insert into cihazlar values ('DEV-İ1', '${SCHOOL}', 's1', 'token-1', 'android', '2026-11-20 08:30'),
    ('DEV-2', '${SCHOOL}', 'S2', 'token-2', 'ios', '2026-11-21 08:30'), ('DEV-3', '${SCHOOL}', 'S3', 'token-3', 'ios', null);
  insert into sinavlar values ('E1', 'Dönem');
  insert into dersler values ('E1', 'Matematik', '2026-12-03', '09:00', 90);
  insert into not_turleri values ('1', 'Yazılı');
  insert into notlar select '${SCHOOL}', 'N' || n, '1', 'Not', 'Metin' from generate_series(1, ${String(NOTES)}) as n;`;

/** Parameters of the operations that read. Callers of the old server do not mind the letter case. */
const READS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GetTokenDevice: { id: 'dev-i1' },
  GetStudentSchool: { school_base_url: SCHOOL, show_active: 'Y' },
  GetExamTableByExamId: { ExamId: 'e1' },
  GetStudentsNoteType: {},
};
const READING = CALLS.filter(({ name }) => name in READS);
const SENDING = CALLS.filter(({ name }) => !(name in READS));

describeOnPostgres('a school', () => {
  const services = useServices();
  const here = useServicesHere();
  const database = useDatabase('postgres', { holds: 'nothing', per: 'block' });
  const running: ServiceHere[] = [];
  const reports = new GatewayReports(running);
  let old: OldSystem;
  let provider: FakeProvider;
  let log: ProviderLog;
  /** Phones and notes of acknowledged calls. */
  const phones: string[] = [];
  const notes: string[] = [];
  /** Answers of the old server before the move, by operation and binding. */
  const usual = new Map<string, string>();

  beforeAll(async () => {
    old = await OldSystem.start(DATA);
    provider = await new FakeProvider().start();
    log = new ProviderLog(
      provider,
      () => false,
      (sms) => reports.take(sms),
    );
    for (const { name, binding } of READING) {
      const { status, text } = await exchange(old.port, callOf(name, binding));
      expect(status).toBe(200);
      usual.set(`${name} ${binding}`, text);
    }
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    reports.stop();
    for (const service of running) service.signal('SIGKILL');
    await Promise.all(running.map((service) => service.ended()));
    await provider.stop();
    await old.end();
  });

  it('moves from its old server operation by operation, without a failed call or a lost message', async () => {
    const folder = join(services.folder, 'nightly');
    const cutover = join(services.folder, 'cut-over.json');
    await old.exportTo(folder);
    writeFileSync(cutover, '{}');
    const settings = {
      ...providerSettings(services.folder, provider.url),
      GATEWAYS_FILE: writeRoute(services.folder, {
        gateway: { url: `${provider.url}/sms/gateway`, receipts: reportsOf('gateway') },
      }),
      DATABASE_URL: database.url,
      DEFAULT_COUNTRY: 'TR',
      SAMPLE_DATA: 'false',
      KEY_COLLATION: 'Turkish_CI_AS',
      IMPORT_FOLDER: folder,
      IMPORT_OPTIONS: `--replace --map ${writeMap(services.folder)}`,
    };
    const place = { folder: services.folder, settings };

    // Beside it: the import, and the calls of the school to both servers. Nothing is sent.
    const silent = { IMPORT_FOLDER: '', SMS_CHANNEL: 'file', PUSH_CHANNEL: 'file' };
    const beside = await here.start({ settings: { ...settings, ...silent } });
    const load = (): Promise<CommandEnd> =>
      runCommand('import', [folder, ...settings.IMPORT_OPTIONS.split(' ')], place);
    expect(await load()).toMatchObject({ code: 0 });
    const traffic = join(services.folder, 'traffic.jsonl');
    writeFileSync(traffic, READING.map(recordedCall).join(''));
    const [oldUrl = '', url = ''] = [old.port, beside.port].map((port) => `http://127.0.0.1:${String(port)}`);
    const compare = ['--old', oldUrl, '--new', url, '--traffic', traffic];
    expect(await runCommand('compare', compare, place)).toMatchObject({ code: 0 });
    await beside.stop();

    const front = await start({ ...settings, OLD_URL: oldUrl, CUTOVER_FILE: cutover });
    const modes: Record<string, Record<string, string>> = {};
    /** Has other modes taken while calls are under way, before and after. */
    const change = async (operation: string, bindings: readonly Binding[], mode: string): Promise<void> => {
      for (const binding of bindings) modes[operation] = { ...modes[operation], [binding]: mode };
      writeFileSync(cutover, JSON.stringify(modes));
      await Promise.all([front.reload(), round(), round()]);
      await round();
    };

    // In front: the old server answers everything, and what is compared is equal.
    await round();
    await comparisons(READING.length);
    expect(await verdicts()).toEqual(new Set(['bytes']));
    expect(old.sent).toHaveLength(SENDING.length);

    // Reads, one after the other.
    for (const name of Object.keys(READS)) {
      await change(name, ['get'], 'fallback');
      await change(name, BINDINGS, 'new');
    }

    // A wrong answer from here, and the way back.
    await old.query(`update cihazlar set jeton = 'token-9' where kod = 'DEV-3'`);
    expect(await tokenOf('DEV-3')).toBe('token-3');
    await change('GetTokenDevice', BINDINGS, 'shadow');
    expect(await tokenOf('DEV-3')).toBe('token-9');
    await until(async () => (await verdicts()).has('different'));
    await old.exportTo(folder);
    expect(await load()).toMatchObject({ code: 0 });
    await change('GetTokenDevice', BINDINGS, 'new');
    expect(await tokenOf('DEV-3')).toBe('token-9');

    // Sends.
    const sentByOld = old.sent.length;
    await change('AuthCode', ['soap11'], 'new');
    await change('AuthCode', BINDINGS, 'new');
    await change('SendMarkNotes', BINDINGS, 'new');
    expect(old.sent.length).toBeGreaterThan(sentByOld);
    const lastOfOld = old.sent.length;
    await round();
    expect(old.sent).toHaveLength(lastOfOld);

    // All new: descriptions are the same, but for the address.
    for (const endpoint of new Set(CALLS.map((call) => call.endpoint))) {
      const described = async (port: number) =>
        (await exchange(port, { path: `/${endpoint}.asmx?WSDL` })).text.replaceAll(`:${String(port)}`, '');
      expect(await described(front.port)).toBe(await described(old.port));
    }

    // Without it: a new start, the old server off, the nightly job goes on.
    await front.stop();
    await old.switchOff();
    await old.query(
      `insert into cihazlar values ('DEV-4', '${SCHOOL}', 'S3', 'token-4', 'ios', '2026-11-26 08:30')`,
    );
    await old.exportTo(folder);
    // Files of the last minute may still be written.
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 2 * MINUTE_MS);
    runCommandsHere(here.folder);
    const last = await here.start({ settings });
    running.splice(0, 1, last);
    await last.line('import completed');
    expect(await tokenOf('dev-4')).toBe('token-4');
    await round();

    // Every acknowledged message arrived exactly once, from one of the two.
    const keys = [...phones.map(e164), ...notes.flatMap((note) => pushesOf(note))];
    const ofOld = new Set(
      old.sent.flatMap((sent) => (sent.startsWith('0') ? [e164(sent)] : pushesOf(sent.split(' ')[0] ?? ''))),
    );
    expect(old.sent).toHaveLength(new Set(old.sent).size);
    const ofNew = keys.filter((key) => !ofOld.has(key));
    expect(await log.arrived(ofNew, 60_000)).toBe(true);
    expect([...log.receipts.keys()].toSorted()).toEqual(ofNew.toSorted());
    expect([...log.receipts.values()].every((times) => times.length === 1)).toBe(true);

    // Receipts and usage are right.
    await reports.ended();
    expect(await reports.lost(database.url, 30_000)).toBe(0);
    const codes = ofNew.filter((key) => key.startsWith('+'));
    expect(reports.acknowledged).toBe(codes.length);
    await last.stop();
    const usage = await runCommand('usage', ['--json'], place);
    expect(
      usage.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toContainEqual(expect.objectContaining({ channel: 'sms', messages: codes.length, sent: codes.length }));
  }, 300_000);

  async function start(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const started = await services.start({ settings });
    running.splice(0, 1, started);
    return started;
  }

  const service = (): ServiceHere => {
    const [first] = running;
    if (first === undefined) throw new Error('There is a service once it was started');
    return first;
  };

  /** Every operation over every binding at once, with a phone or a note of its own; all calls succeed. */
  async function round(): Promise<void> {
    await Promise.all(
      CALLS.map(async ({ name, binding }) => {
        const parameters = parametersOf(name);
        const { status, text } = await service().ask(callOf(name, binding, parameters));
        expect({ name, binding, status }).toEqual({ name, binding, status: 200 });
        const before = usual.get(`${name} ${binding}`);
        if (before !== undefined) expect(text).toBe(before);
      }),
    );
  }

  /** Parameters of a call that succeeds; a message is noted down as acknowledged beforehand, since no call may fail. */
  function parametersOf(name: string): Readonly<Record<string, string>> {
    if (name === 'AuthCode') {
      phones.push(`0555${String(phones.length + 1).padStart(7, '0')}`);
      return { code: '4711', phone: phones.at(-1) ?? '' };
    }
    if (name === 'SendMarkNotes') {
      notes.push(`N${String(notes.length + 1)}`);
      return { id: notes.at(-1) ?? '', id_class: '9a', baseUrlSchool: SCHOOL };
    }
    return READS[name] ?? {};
  }

  async function tokenOf(id: string): Promise<string> {
    const { text } = await service().ask(callOf('GetTokenDevice', 'get', { id }));
    return />([^<]*)<\/string>/.exec(text)?.[1] ?? '';
  }

  /** Verdicts of the comparisons so far, with how many there were of each. */
  async function compared(): Promise<readonly (readonly [verdict: string, count: number])[]> {
    const { text } = await service().askAdmin({ path: '/metrics' });
    const lines = text.matchAll(/^service_compared_requests_total\{.*verdict="(\w+)"\} (\d+)$/gm);
    return Array.from(lines, ([, verdict = '', count]) => [verdict, Number(count)] as const);
  }

  const verdicts = async (): Promise<ReadonlySet<string>> =>
    new Set((await compared()).flatMap(([verdict, count]) => (count > 0 ? [verdict] : [])));

  const comparisons = (count: number): Promise<void> =>
    until(async () => (await compared()).reduce((sum, [, each]) => sum + each, 0) >= count);
});

/** Asks until something holds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

const e164 = (phone: string): string => `+9${phone}`;

const pushesOf = (note: string): readonly string[] => [`${note} token-1`, `${note} token-2`];

function callOf(name: string, binding: Binding, parameters = READS[name] ?? {}) {
  const endpoint = CALLS.find((call) => call.name === name)?.endpoint ?? '';
  const isSoap = binding === 'soap11' || binding === 'soap12';
  const values = Object.entries(parameters).map(([key, value]) => [
    key,
    key === 'show_active' && isSoap
      ? String(value.charCodeAt(0))
      : isSoap
        ? value
        : encodeURIComponent(value),
  ]);
  return request(binding, endpoint, name, Object.fromEntries(values) as Record<string, string>);
}

/** A call as RECORD_FILE has it. */
function recordedCall({ name, binding }: (typeof CALLS)[number]): string {
  const call = callOf(name, binding);
  const headers = (call.headers ?? []).map(([key, value]): [string, string] => [key, value]);
  const method = call.body === undefined ? 'GET' : 'POST';
  return writeLine({ method, target: call.path, headers, body: Buffer.from(call.body ?? '') });
}
