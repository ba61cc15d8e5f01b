// Failures of the surroundings. Failures that end the service, and slow tests, have files of their own.

import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { DatabaseSync } from '../../../src/store/sqlite/library';
import { storedMessages } from '../../service/stored-messages';
import { FORM_VOID, formError, FRESH, seen } from '../../harness/asmx-answers';
import { administer } from '../../harness/postgres-databases';
import { TcpProxy } from '../../harness/tcp-proxy';
import { get } from '../../../scripts/harness';
import {
  type Behaviour,
  FakeProvider,
  markRequest,
  providerSettings,
  writeGatewaysFile,
} from '../../../scripts/harness/delivery';
import { useAttackedService } from './attacked-service';
import { code, expectRecovery, readiness, TOKEN, TOKEN_IS, untilReady } from './store-outage';

/** A call that takes too long gets this text. */
const TOO_LATE = 'Request timed out.';
const FAILED = formError('An error occurred on the server.', FRESH);
const PAGE_BYTES = 4096;

describe('failing surroundings: store on SQLite', () => {
  const service = useAttackedService({
    settings: (folder) => ({ DATA_DIR: join(folder, 'data'), REQUEST_TIMEOUT_SECONDS: '1' }),
  });
  const file = (): string => join(service.folder, 'service.db');

  it('57 Locked store: reads are answered, and a write that cannot wait any longer gets the fault of row 56', async () => {
    const other = new DatabaseSync(file(), { timeout: 5000 });
    try {
      await service.survives(async () => {
        other.exec('begin immediate');
        const late = await service.process.ask(code());
        expect(seen(late)).toEqual(formError(TOO_LATE, FRESH));
        const read = await service.process.ask(TOKEN);
        expect(seen(read)).toEqual(TOKEN_IS);
        other.exec('rollback');
        const written = await service.process.ask(code());
        expect(seen(written)).toEqual(FORM_VOID);
        return [late, read, written];
      }, 3);
    } finally {
      other.close();
    }
  });

  it('57 Store file moved away: nothing is acknowledged that would be lost with it', async () => {
    const away = `${file()}.away`;
    const trouble = {
      begin: () => {
        renameSync(file(), away);
      },
      end: () => {
        renameSync(away, file());
      },
    };
    await expectRecovery(service, trouble, 'work');
  });

  it('57 Corrupt store file', async () => {
    const notes = get('GetNoteType', 'GetStudentsNoteType');
    const whole = readFileSync(file());
    const write = (from: number, bytes: Uint8Array): void => {
      const descriptor = openSync(file(), 'r+');
      writeSync(descriptor, bytes, 0, bytes.length, from);
      closeSync(descriptor);
    };
    await service.survives(async () => {
      // All except the first page, by which SQLite recognizes its file.
      write(PAGE_BYTES, Buffer.alloc(whole.length - PAGE_BYTES, 'spoilt'));
      const failed = await service.process.ask(notes);
      expect(seen(failed)).toEqual(FAILED);
      write(0, whole);
      const written = await service.process.ask(code());
      expect(seen(written)).toEqual(FORM_VOID);
      const read = await service.process.ask(notes);
      expect(seen(read)).toEqual(FORM_VOID);
      return [failed, written, read];
    }, 3);
  });
});

describe('failing surroundings: store on PostgreSQL', () => {
  const service = useAttackedService({
    engine: 'postgres',
  });
  const name = (): string => new URL(service.databaseUrl).pathname.slice(1);
  /** Until they have ended: a server that is only asked to end them may let them take another statement. */
  const cutOff = (): Promise<number> =>
    administer(`select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name()}'`);

  it('57 Lost store', async () => {
    const trouble = {
      begin: async () => {
        await administer(`alter database ${name()} with allow_connections false`);
        await cutOff();
      },
      end: () => administer(`alter database ${name()} with allow_connections true`),
    };
    await expectRecovery(service, trouble, 'fail');
  });

  it('57 Read-only store', async () => {
    const readOnly = async (value: 'on' | 'off'): Promise<void> => {
      await administer(`alter database ${name()} set default_transaction_read_only = ${value}`);
      await cutOff();
    };
    await expectRecovery(service, { begin: () => readOnly('on'), end: () => readOnly('off') }, 'work');
  });
});

describe('failing surroundings: PostgreSQL that does not respond', () => {
  const { hostname, port } = new URL(process.env['TEST_DATABASE_URL'] ?? 'http://none');
  const proxy = new TcpProxy([{ host: hostname, port: Number(port) }]);
  beforeAll(() => proxy.open());
  const service = useAttackedService({
    engine: 'postgres',
    settings: (_folder, databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${String(proxy.port)}`;
      return { DATABASE_URL: url.href, REQUEST_TIMEOUT_SECONDS: '1' };
    },
  });
  afterAll(() => proxy.cut());

  it('57 Slow store: not ready, a fault in time, and recovered afterwards', async () => {
    const late = formError(TOO_LATE, FRESH);
    // An unknown device is not remembered; the sample one may be, since the service itself has asked for it.
    const unknown = get('PushNotificationMobile', 'GetTokenDevice', 'id=unknown');
    await service.survives(async () => {
      proxy.stall();
      const answers = await Promise.all([code(), unknown].map((request) => service.process.ask(request)));
      expect(answers.map(seen)).toEqual([late, late]);
      expect(await readiness(service)).toBe(503);
      proxy.goOn();
      await untilReady(service);
      const again = await service.process.ask(TOKEN);
      expect(seen(again)).toEqual(TOKEN_IS);
      return [...answers, again];
    }, 3);
  });
});

/** Lists what FCM does with the first messages. The tests of the transport say what becomes of each. */
const FCM_TROUBLES: readonly Behaviour[] = [
  { status: 401, body: '{}' },
  { status: 404, body: '{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}' },
  { status: 400, body: '{"error":{"status":"INVALID_ARGUMENT"}}' },
  { status: 429, headers: { 'Retry-After': '1' }, body: '{}' },
  { status: 503, body: '<html>' },
  { status: 200, cutAfter: '{"name":"projects/' },
  'never answers',
];
const TAKEN: Behaviour = { status: 200, body: '{}' };

describe('failing surroundings: providers', () => {
  const provider = new FakeProvider();
  beforeAll(() => provider.start());
  const service = useAttackedService({
    engine: 'postgres',
    settings: (folder) => ({
      ...providerSettings(folder, provider.url),
      GATEWAYS_FILE: writeGatewaysFile(folder, {
        url: `${provider.url}/sms`,
        code: { pattern: '"(?<key>sid)"' },
        answers: [
          { status: '2xx', code: 'sid', class: 'accepted' },
          { status: '4xx', class: 'rejected' },
        ],
      }),
      PROVIDER_TIMEOUT_SECONDS: '5', // A machine that is busy is not to look like a provider that is silent.
    }),
  });
  afterAll(() => provider.stop());

  /** Returns the results of the first attempts at messages of a channel, once there are this many. */
  async function settled(channel: string, count: number): Promise<readonly unknown[]> {
    const lines = await service.process.lines((all) => {
      const found = all.filter(
        (line) => line['msg'] === 'message' && line['channel'] === channel && line['attempt'] === 1,
      );
      return found.length >= count ? found : undefined;
    }, 'before the messages were tried');
    return lines.map(({ state }) => state);
  }

  it('58 FCM with 401, 404, 400, 429, 503, a truncated answer and none at all', async () => {
    const troubles = [...FCM_TROUBLES];
    // Whom the 404 meets loses its token: not the one that is asked for below.
    provider.usual = ({ body }) => (body.includes('"sample-token-01"') ? TAKEN : (troubles.shift() ?? TAKEN));
    await service.answers([markRequest(1), FORM_VOID]);
    await settled('mark', 1);
    const pushes = (await storedMessages(service.databaseUrl)).filter(({ channel }) => channel === 'push');
    await service.answers([TOKEN, TOKEN_IS]);
    const tried = await settled('push', pushes.length);
    // 404 and 400 will not get better; 401, 429, 503 and silence are tried again; a cut 200 is a 200.
    const unsent = ['failed', 'failed', 'queued', 'queued', 'queued', 'queued'];
    expect(tried.filter((state) => state !== 'sent').toSorted()).toEqual(unsent);
  });

  it('59 SMS gateway that reports an error with 200, or accepts the SMS without an answer', async () => {
    const sms = (): readonly string[] =>
      provider.received.filter(({ path }) => path === '/sms').map(({ body }) => body);
    const answers: Behaviour[] = [{ status: 200, body: '{"error":"no credit"}' }, 'never answers'];
    provider.usual = ({ path }) => (path === '/sms' ? (answers.shift() ?? TAKEN) : TAKEN);
    await service.answers([code(), FORM_VOID]);
    expect(await settled('sms', 1)).toEqual(['failed']);
    await service.answers([code(), FORM_VOID]);
    expect(await settled('sms', 2)).toEqual(['failed', 'failed']);
    // Nobody knows whether the second one arrived: it is not sent twice.
    expect(sms()).toHaveLength(2);
  });
});
