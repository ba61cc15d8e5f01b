import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { hashKey } from '../../src/access';
import { matchesSecret, parseSecretHash } from '../../src/access/secret-hash';
import {
  form,
  get,
  type LogLine,
  type RawRequest,
  RawConnection,
  token11,
  withHeaders,
} from '../../scripts/harness';
import { runCommand } from '../harness/run-command';
import { databaseIn, storedMessages } from './stored-messages';
import { type ServiceHere, useServicesHere } from './use-services-here';

const KEY = 'a-key-that-is-long-enough';
const withKey = (request: RawRequest, key = KEY): RawRequest => withHeaders(request, ['X-Api-Key', key]);
const token = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');
const code = form('AuthCodeSending', 'AuthCode', 'code=1234&phone=%2B905551112233');
const students = (school: string): RawRequest =>
  get('NotificationNotes', 'GetStudentSchool', `school_base_url=${encodeURIComponent(school)}&show_active=Y`);

function writeAccess(folder: string, content: object | string): string {
  const path = join(folder, 'access.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const PORTAL = { key: { header: 'X-Api-Key', secret: hashKey(KEY) } };

describe('with an access file', () => {
  const services = useServicesHere();

  it('callers get what their entry allows, and no refused call stores anything', async () => {
    const ACCESS_FILE = writeAccess(services.folder, {
      callers: { portal: { ...PORTAL, schools: ['https://NORTH.example/'], rate: { codesPerHour: 1 } } },
      anonymous: { operations: ['GetTokenDevice'] },
    });
    const service = await services.start({ settings: { ACCESS_FILE } });
    const status = async (request: RawRequest): Promise<number> => (await service.ask(request)).status;

    expect(await status(token)).toBe(200);
    expect(await status(token11('DEV-1'))).toBe(200);
    expect(await status(code)).toBe(401);
    expect(await status(withKey(code, 'another-key'))).toBe(401);
    expect(await status(withKey(students('https://north.example')))).toBe(200);
    expect(await status(withKey(students('https://south.example')))).toBe(403);
    expect(await status({ path: '/AuthCodeSending.asmx?WSDL' })).toBe(200);
    expect(await status({ path: '/healthz' })).toBe(200);
    expect(await status(withKey(code))).toBe(200);
    const tooMany = await service.ask(withKey(code));
    expect(tooMany.status).toBe(429);
    expect(Number(tooMany.header('Retry-After'))).toBeGreaterThan(0);
    await service.stop();
    expect(await storedMessages(databaseIn(join(services.folder, 'data')))).toHaveLength(1);
  });

  it('each caller has a share of the codes per day that unknown callers cannot use up', async () => {
    const ACCESS_FILE = writeAccess(services.folder, {
      callers: { portal: PORTAL },
      anonymous: { operations: ['AuthCode'] },
    });
    const service = await services.start({
      settings: { ACCESS_FILE, DATA_DIR: 'shares', CODE_LIMITS: 'all:2/day' },
    });
    const one = form('AuthCodeSending', 'AuthCode', 'code=5678&phone=%2B905551112244');
    const other = form('AuthCodeSending', 'AuthCode', 'code=5678&phone=%2B905551112255');
    expect((await service.ask(one)).status).toBe(200);
    expect((await service.ask(other)).text).toContain('Too many codes');
    expect((await service.ask(withKey(other))).status).toBe(200);
  });

  it('SIGHUP reloads it', async () => {
    const ACCESS_FILE = writeAccess(services.folder, { callers: {} });
    const service = await services.start({ settings: { ACCESS_FILE } });
    const statuses = async (): Promise<number[]> =>
      Promise.all(Array.from({ length: 8 }, async () => (await service.ask(withKey(token))).status));
    expect(new Set(await statuses())).toEqual(new Set([403]));

    writeAccess(services.folder, { callers: { portal: PORTAL } });
    expect(await service.reload()).toMatchObject({ changed: ['ACCESS_FILE'], wrong: [], needRestart: [] });
    expect(new Set(await statuses())).toEqual(new Set([200]));

    writeAccess(services.folder, '{');
    expect(await service.reload()).toMatchObject({ changed: [], wrong: ['ACCESS_FILE'] });
    expect(await service.lines(wrongOnes, 'without the reason')).toMatchObject([
      {
        settings: ['ACCESS_FILE'],
        reason: `${ACCESS_FILE} (ACCESS_FILE) is not valid JSON at line 1, column 2.`,
      },
    ]);
    expect(new Set(await statuses())).toEqual(new Set([200]));
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('settings that restrict callers', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  beforeAll(async () => {
    service = await services.start({
      settings: {
        ALLOWED_ORIGINS: 'https://portal.example, null',
        DISABLED_BINDINGS: 'AuthCode:GET, AuthCode:post',
        BASE_URL: 'https://public.example/x',
        TRUST_PROXY: '192.0.2.1',
      },
    });
  });

  it('allow calls from pages of the sites in ALLOWED_ORIGINS', async () => {
    const from = async (origin: string): Promise<number> =>
      (await service.ask({ ...token, headers: [['Origin', origin]] })).status;
    expect(await from('https://portal.example')).toBe(200);
    expect(await from('https://evil.test')).toBe(403);
  });

  it('close an operation for GET and POST by DISABLED_BINDINGS', async () => {
    expect((await service.ask(code)).status).toBe(500);
    expect((await service.ask({ path: '/AuthCodeSending.asmx?WSDL' })).text).not.toContain('Http');
    expect((await service.ask(token)).status).toBe(200);
  });

  it("let the admin port answer only under the server's own names", async () => {
    const under = async (host: string, forwarded?: string): Promise<number> => {
      const proxied = forwarded === undefined ? [] : [['X-Forwarded-Host', forwarded] as const];
      return (await service.askAdmin({ path: '/metrics', headers: [['Host', host], ...proxied] })).status;
    };
    for (const host of [
      '127.0.0.1:8081',
      '[::1]:8081',
      '10.1.2.3',
      'localhost',
      'LOCALHOST:1',
      'public.example',
    ])
      expect([host, await under(host)]).toEqual([host, 200]);
    for (const host of ['evil.test', 'evil.test:8081', 'public.example.evil.test', '127.0.0.1.evil.test', ''])
      expect([host, await under(host)]).toEqual([host, 403]);
    // This sender is no trusted proxy.
    expect(await under('evil.test', 'evil.test')).toBe(403);
  });
});

describe('school-notifications access-secret', () => {
  const services = useServicesHere();
  const run = (args: readonly string[], input: string) =>
    runCommand('access-secret', args, { folder: services.folder, input });
  const isOf = async (text: string, secret: string): Promise<boolean> => {
    const hash = parseSecretHash(text);
    return hash !== undefined && matchesSecret(hash, secret);
  };

  it('hashes a password', async () => {
    const { code: exit, out } = await run([], 'correct horse\nanother line\n');
    expect(exit).toBe(0);
    expect(out).toMatch(/^\$scrypt\$/);
    expect(await isOf(out.trim(), 'correct horse')).toBe(true);
  });

  it('hashes a key', async () => {
    expect((await run(['--key'], KEY)).out).toBe(`${hashKey(KEY)}\n`);
  });

  it('generates a key', async () => {
    const { out } = await run(['--generate'], '');
    const [, key = '', hash = ''] = /^key: {2}(\S{43})\nhash: (\S+)\n$/.exec(out) ?? [];
    expect(await isOf(hash, key)).toBe(true);
  });

  it.each([
    [[], 'short\n', 'It needs at least 8 characters.'],
    [['--key'], 'correct horse\n', 'It needs at least 24 characters.'],
    [[], '', 'No secret on standard input.'],
  ])('rejects %j with the input %j', async (args, input, expected) => {
    const { code: exit, out, err } = await run(args, input);
    expect(exit).toBe(1);
    expect(err).toContain(expected);
    expect(out).toBe('');
  });
});

describe('a refused call with an unsent body', () => {
  const services = useServicesHere();

  it('gets an answer, with or without Expect', async () => {
    const ACCESS_FILE = writeAccess(services.folder, {});
    const service = await services.start({ settings: { ACCESS_FILE } });
    for (const expectation of ['', 'Expect: 100-continue\r\n']) {
      const connection = await RawConnection.open(service.port);
      connection.write(
        `POST /AuthCodeSending.asmx/AuthCode HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n${expectation}\r\n`,
      );
      expect((await connection.readFinal()).status).toBe(403);
      connection.close();
    }
  });
});

const wrongOnes = (lines: readonly LogLine[]) =>
  lines.filter(({ msg }) => String(msg).startsWith('reload failed'));
