import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { hashKey } from '../../src/access';
import type { RawRequest } from '../../scripts/harness';
import { get, withHeaders } from '../../scripts/harness';
import {
  codeRequest,
  FakeProvider,
  loadOneClass,
  markKeys,
  markRequest,
  phoneOf,
  ProviderLog,
  serviceAccount,
  writeGatewaysFile,
} from '../../scripts/harness/delivery';
import { PROCESS_COUNTS, type ServiceHere, useServicesEitherWay } from './use-services-here';

const TOKEN = get('PushNotificationMobile', 'GetTokenDevice', 'id=D1');
const ONE_CLASS = { students: 2, notes: 2000 };
const CALLERS = 4;
/** So many messages of a channel are on their way at most. */
const AT_ONCE = 4;
const WITHIN_MS = 20_000;
/** No call of the load has it. */
const LAST_PHONE = phoneOf(1_000_000);

/** Writes a file of a folder, for its owner alone, and gives its path. */
function fileWriter(folder: string): (name: string, content: string) => string {
  return (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
}

describe.each(PROCESS_COUNTS)('secrets and files changed under load, with %s processes', (PROCESSES) => {
  const services = useServicesEitherWay();
  const provider = new FakeProvider();
  beforeAll(() => provider.start());
  afterAll(() => provider.stop());
  const file = fileWriter(services.folder);
  let service: ServiceHere;

  it('take effect on the signal, and no request and no message is lost', async () => {
    const access = (...keys: readonly string[]): string =>
      file(
        'access.json',
        JSON.stringify({ callers: { portal: { key: { header: 'X-Key', secret: keys.map(hashKey) } } } }),
      );
    const account = (project_id: string): string =>
      file(
        'account.json',
        JSON.stringify({ ...serviceAccount(`${provider.url}/token`, provider.url), project_id }),
      );
    const texts = (sms: string): string =>
      file(
        'delivery.json',
        JSON.stringify({ languages: { tr: { smsText: sms } }, countries: { TR: { language: 'tr' } } }),
      );
    const url = file('database-url', `sqlite:${join(services.folder, 'service.db')}\n`);
    await loadOneClass(`sqlite:${join(services.folder, 'service.db')}`, services.folder, ONE_CLASS);
    const receipts = new ProviderLog(provider);
    service = await services.start({
      settings: {
        PROCESSES,
        DATABASE_URL_FILE: url,
        ACCESS_FILE: access('old-key'),
        DELIVERY_FILE: texts('old {code}'),
        SMS_CHANNEL: 'http',
        GATEWAYS_FILE: writeGatewaysFile(services.folder, {
          url: `${provider.url}/sms`,
          values: { token: { file: file('sms-token', 'old-token\n') } },
          authorization: { type: 'bearer', token: '{token}' },
        }),
        PUSH_CHANNEL: 'fcm',
        FCM_SERVICE_ACCOUNT: account('old-project'),
        ADMIN_METRICS_TOKEN_FILE: file('metrics-token', 'old-metrics-token\n'),
        SMS_CONCURRENCY: String(AT_ONCE),
      },
    });

    let key = 'old-key';
    const keyed = (request: RawRequest): RawRequest => withHeaders(request, ['X-Key', key]);
    const load = new Load(service, keyed);
    await load.answers(20);
    const uses = (old: string): boolean[] =>
      provider.received.map((request) => JSON.stringify(request).includes(old));
    while (!uses('Bearer old-token').includes(true)) await provider.receives(provider.received.length + 1);

    access('old-key', 'new-key');
    file('sms-token', 'new-token\n');
    account('new-project');
    texts('new {code}');
    expect(await service.reload()).toMatchObject({
      changed: ['ACCESS_FILE', 'GATEWAYS_FILE', 'FCM_SERVICE_ACCOUNT', 'DELIVERY_FILE'],
      wrong: [],
      needRestart: [],
    });
    const before = provider.received.length;
    key = 'new-key';
    await load.answers(20);
    access('new-key');
    expect(await service.reload()).toMatchObject({ changed: ['ACCESS_FILE'] });
    await load.answers(20);
    const { sent, statuses } = await load.end();

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await receipts.arrived(sent, WITHIN_MS)).toBe(true);
    expect([...receipts.receipts.values()].filter((each) => each.length !== 1)).toEqual([]);
    expect((await service.ask(withHeaders(TOKEN, ['X-Key', 'old-key']))).status).toBe(401);

    // What was under way when the line was written may still arrive.
    const late = 3 * AT_ONCE;
    for (const old of ['Bearer old-token', '/old-project/', '"text\\\\\\":\\\\\\"old'])
      expect(uses(old).slice(before + late)).not.toContain(true);
    for (const fresh of ['Bearer new-token', '/new-project/', 'new 4711'])
      expect(uses(fresh)).toContain(true);
    expect(service.output).not.toMatch(/(?:old|new)-(?:token|key)/);
  });

  it('are reported if they cannot be reloaded, and the old values stay in use', async () => {
    const path = file('sms-token', '\n');
    file('database-url', `sqlite:${join(services.folder, 'other.db')}`);
    file('metrics-token', 'other-metrics-token');
    expect(await service.reload()).toMatchObject({
      changed: ['ADMIN_METRICS_TOKEN'],
      wrong: ['GATEWAYS_FILE'],
      needRestart: ['DATABASE_URL'],
    });
    expect(await service.line('reload failed, the previous')).toMatchObject({
      level: 'error',
      settings: ['GATEWAYS_FILE'],
      reason: expect.stringContaining(`names the file ${path}, which is empty.`) as string,
    });
    expect(await service.line('changed settings take effect after a restart')).toMatchObject({
      level: 'warn',
      settings: ['DATABASE_URL'],
    });

    const before = provider.received.length;
    await service.ask(withHeaders(codeRequest(LAST_PHONE), ['X-Key', 'new-key']));
    const received = (await provider.receives(before + 1)).slice(before);
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer new-token']);
    expect(service.output).not.toContain('other.db');
    await service.stop();
  });
});

/** Callers that each send codes and notes, one after the other, until stopped. */
class Load {
  readonly #service: ServiceHere;
  readonly #keyed: (request: RawRequest) => RawRequest;
  readonly #statuses: number[] = [];
  readonly #sent: string[] = [];
  readonly #callers: Promise<unknown>;
  #calls = 0;
  #isEnding = false;
  #onAnswer: () => void = () => undefined;

  constructor(service: ServiceHere, keyed: (request: RawRequest) => RawRequest) {
    this.#service = service;
    this.#keyed = keyed;
    this.#callers = Promise.all(Array.from({ length: CALLERS }, () => this.#call()));
  }

  /** Waits for this number of further answers. */
  async answers(count: number): Promise<void> {
    const enough = this.#statuses.length + count;
    while (this.#statuses.length < enough) await new Promise<void>((done) => (this.#onAnswer = done));
  }

  async end(): Promise<{ readonly statuses: readonly number[]; readonly sent: readonly string[] }> {
    this.#isEnding = true;
    await this.#callers;
    return { statuses: this.#statuses, sent: this.#sent };
  }

  async #call(): Promise<void> {
    while (!this.#isEnding) {
      this.#calls += 1;
      const number = this.#calls;
      const isNote = number % 2 === 0 && number / 2 <= ONE_CLASS.notes;
      const request = isNote ? markRequest(number / 2) : codeRequest(phoneOf(number));
      const { status } = await this.#service.ask(this.#keyed(request));
      this.#sent.push(...(isNote ? markKeys(number / 2, ONE_CLASS) : [phoneOf(number)]));
      this.#statuses.push(status);
      this.#onAnswer();
    }
  }
}
