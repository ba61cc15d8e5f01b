import { sql } from 'kysely';

import { form, get } from '../../scripts/harness';
import {
  type Behaviour,
  FakeProvider,
  providerSettings,
  writeGatewaysFile,
} from '../../scripts/harness/delivery';
import { removeMark } from '../../src/store/keeping/marks';
import { openEngine } from '../../src/store/open-engine';
import { writeByHand } from '../interop/clients/hand-written-request';
import { CALLS } from '../harness/contract-operations';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { type ServiceHere, useServicesHere } from './use-services-here';

describe('52 Personal data', () => {
  const services = useServicesHere();

  it('does not appear in any log line or metric, whatever the call and its outcome', async () => {
    const service = await services.start({ settings: { LOG_LEVEL: 'trace' } });
    const marked = [
      'MARK-CODE',
      'MARKPHONE',
      '5557654321',
      '555765',
      'MARK-SCHOOL',
      'MARK-NOTE',
      'MARK-CLASS',
    ];
    const requests = [
      // Every argument of the contract by every binding.
      ...CALLS.map(({ binding, ...operation }) => {
        const args = operation.parameters.map(({ name }) => `MARK-${name}`);
        return writeByHand(binding, operation, args);
      }),
      get('AuthCodeSending', 'AuthCode', 'code=MARK-CODE&phone=%2B905557654321'),
      get('AuthCodeSending', 'AuthCode', 'code=MARK-CODE&phone=5557654321'),
      get('AuthCodeSending', 'AuthCode', 'code=MARK-CODE&phone=MARKPHONE'),
      get('AuthCodeSending', 'AuthCode', `code=${'MARK-CODE'.repeat(9)}&phone=5557654321`),
      get('NotificationNotes', 'GetStudentSchool', 'school_base_url=MARK-SCHOOL&show_active=YY'),
      get('NotificationNotes', 'GetStudentSchool', 'school_base_url=http://school.example&show_active=Y'),
      form(
        'NotificationNotes',
        'SendMarkNotes',
        'id=MARK-NOTE&id_class=MARK-CLASS&baseUrlSchool=MARK-SCHOOL',
      ),
      get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1'),
      get('MARK-SCHOOL', 'MARK-NOTE', 'MARK-CODE'),
      get('PushNotificationMobile', 'MARK-NOTE', 'id=MARK-CODE'),
      { method: 'MARKCODE', path: '/PushNotificationMobile.asmx' },
    ];
    for (const request of requests) await service.ask(request);
    const metrics = await readMetricNames(service);
    await service.stop();

    // The token and the names are those of the sample school.
    for (const text of [...marked, 'sample-token', 'Yılmaz', 'MARK']) {
      expect(service.output).not.toContain(text);
      expect(service.errors).not.toContain(text);
      expect(metrics).not.toContain(text);
    }
    expect(service.output).toContain('"phone":"+90...21"');
    expect(service.output.match(/"msg":"request"/g)).toHaveLength(requests.length);
  });
});

/** Personal data of one person: unique parts of each phone, code, token, name and note. */
const PERSONAL = ['555765', 'MARK-CODE', 'sample-token', 'Yılmaz', 'Matematik', 'velimiz'];

const codeCalls = CALLS.filter(({ name }) => name === 'AuthCode').map(({ binding, ...operation }, at) =>
  writeByHand(binding, operation, [`MARK-CODE-${String(at)}`, `+9055576543${String(20 + at)}`]),
);
const noteCalls = CALLS.filter(({ name }) => name === 'SendMarkNotes').map(({ binding, ...operation }, at) =>
  writeByHand(binding, operation, [`N${String(1 + (at % 3))}`, '1A', 'http://school.example']),
);
const readCalls = CALLS.filter(({ name }) => name.startsWith('Get')).map(({ binding, ...operation }) => {
  const values: Readonly<Record<string, string>> = { id: 'DEV-1', show_active: 'Y' };
  const args = operation.parameters.map(({ name }) => values[name] ?? 'http://school.example');
  return writeByHand(binding, operation, args);
});

/** Returns the metrics without their values, whose digits may be those of a phone by chance. */
async function readMetricNames(service: ServiceHere): Promise<string> {
  const { text } = await service.askAdmin({ path: '/metrics' });
  return text.replace(/ [^ "}]+$/gm, '');
}

async function expectNothingPersonal(service: ServiceHere): Promise<void> {
  const metrics = await readMetricNames(service);
  await service.stop();
  for (const text of PERSONAL) {
    expect(service.output).not.toContain(text);
    expect(service.errors).not.toContain(text);
    expect(metrics).not.toContain(text);
  }
}

describe('personal data that a provider echoes in its errors', () => {
  const services = useServicesHere();
  const provider = new FakeProvider();
  beforeAll(() => provider.start());
  afterAll(() => provider.stop());

  it('does not appear in either output or in any metric', async () => {
    let requests = 0;
    provider.usual = ({ body, path }) => {
      const said = `${path} ${body}`;
      const error = JSON.stringify({
        error: { status: said, message: said, code: said, details: [said] },
        said,
      });
      const ways: readonly Behaviour[] = [
        { status: 400, body: said },
        { status: 400, body: error, headers: { 'Content-Type': 'application/json' } },
        { status: 503, body: error, headers: { 'Retry-After': encodeURIComponent(said) } },
        { status: 404, body: error },
        { status: 401, body: error },
        { status: 200, body: said },
        { status: 429, body: said },
        { status: 400, cutAfter: said },
        'resets after reading',
      ];
      return ways[requests++ % ways.length] ?? 'resets after reading';
    };
    const settings = {
      ...providerSettings(services.folder, provider.url),
      GATEWAYS_FILE: writeGatewaysFile(services.folder, {
        url: `${provider.url}/sms`,
        code: { pattern: '"(?<key>sid)"' },
        answers: [{ status: '2xx', code: 'sid', class: 'accepted' }],
      }),
      LOG_LEVEL: 'trace',
    };
    const service = await services.start({ settings });
    for (const request of [...codeCalls, ...noteCalls]) expect((await service.ask(request)).status).toBe(200);
    await provider.receives(codeCalls.length + 3);
    await service.lines((lines) => {
      const messages = lines.filter(({ msg, channel }) => msg === 'message' && channel !== 'mark');
      const channels = new Set(messages.map(({ channel }) => channel));
      return messages.length >= codeCalls.length + 3 && channels.size === 2 ? true : undefined;
    }, 'before what the provider said was logged');
    expect(provider.received.map(({ body }) => body).join()).toMatch(/555765[^]*sample-token/);
    await expectNothingPersonal(service);
  });
});

describe.each(ENGINES)('personal data in statements that fail on %s', (engine) => {
  const services = useServicesHere();
  const database = useDatabase(engine);

  it('does not appear in either output or in any metric', async () => {
    const settings = { DATABASE_URL: database.url, LOG_LEVEL: 'trace' };
    const service = await services.start({ settings });
    const store = openEngine({ url: database.url, mustExist: true });
    try {
      await store.session(async ({ kysely }) => {
        // One table is not there, one has not the columns, one refuses what it is given.
        await sql`alter table students rename to gone`.execute(kysely);
        await sql`alter table devices rename column token to gone`.execute(kysely);
        await sql`create unique index refuses on messages (channel)`.execute(kysely);
        await removeMark(kysely, 'students'); // Without it, tokens are not remembered.
      });
      const calls = [...codeCalls, ...noteCalls, ...readCalls];
      const statuses: number[] = [];
      for (const request of calls) statuses.push((await service.ask(request)).status);
      // Four bindings each: at least both reads of those tables, and all but the first message of each channel.
      const failed = statuses.filter((status) => status === 500);
      expect(failed.length).toBeGreaterThanOrEqual(4 + 4 + 3 + 3);
      await service.line('request failed', { operation: 'AuthCode' });
      await service.line('request failed', { operation: 'SendMarkNotes' });
      await service.line('request failed', { operation: 'GetTokenDevice' });
      await service.line('request failed', { operation: 'GetStudentSchool' });
    } finally {
      await store.close();
    }
    await expectNothingPersonal(service);
  });
});
