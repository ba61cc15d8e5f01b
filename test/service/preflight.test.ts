import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readSettings } from '../../src/config';
import { nodeFindings, preflight } from '../../src/service/preflight';
import { serviceAccount, writeGatewaysFile } from '../../scripts/harness/delivery';
import { useFolder } from '../harness/use-folder';
import { writeTlsFiles } from './use-tls';
import { certify } from '../harness/certificates';

const folder = useFolder();

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  return path;
}

/** Settings with nothing to find. */
const QUIET = {
  DATA_DIR: join(folder, 'data'),
  HOST: '127.0.0.1',
  SMS_CHANNEL: 'http',
  GATEWAYS_FILE: writeGatewaysFile(folder, { url: 'https://sms.example' }),
  DEFAULT_COUNTRY: 'TR',
  PUSH_CHANNEL: 'fcm',
  FCM_SERVICE_ACCOUNT: write('account.json', serviceAccount()),
};
const BY_CERTIFICATE = { callers: { portal: { certificate: { subject: { CN: 'a' } } } } };

const look = (settings: Readonly<Record<string, string>>, envFile = '') =>
  preflight(readSettings({ ...QUIET, ...settings }, write('.env', envFile)), { node: '24.0.0' });

async function find(settings: Readonly<Record<string, string>>, envFile = '') {
  return (await look(settings, envFile)).map(({ level, message }) => `${level}: ${message}`);
}

describe('the findings before a start', () => {
  it('are empty if there are no problems', async () => {
    expect(await find({})).toEqual([]);
  });

  it.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ SMS_CHANNEL: 'file', GATEWAYS_FILE: '' }, 'warn: SMS are not sent (SMS_CHANNEL=file)'],
    [{ SMS_CHANNEL: 'file' }, 'error: GATEWAYS_FILE is set, but SMS are not sent'],
    [{ PUSH_CHANNEL: 'file' }, 'warn: Push messages are not sent (PUSH_CHANNEL=file)'],
    [{ DEFAULT_COUNTRY: '' }, 'warn: DEFAULT_COUNTRY is not set'],
    [{ SMS_TEXT: `{code} ${'ş'.repeat(70)}` }, 'warn: The text of a code needs'],
    [{ HOST: '*', ALLOWED_HOSTS: 'a' }, 'warn: Anyone who can reach this port may call every operation'],
    [{ HOST: '*', ACCESS_FILE: write('nobody.json', {}) }, 'warn: Any host name is accepted'],
    [
      { ACCESS_FILE: write('access.json', BY_CERTIFICATE) },
      'warn: ACCESS_FILE identifies callers by certificate',
    ],
    [
      { ...writeTlsFiles(folder, certify({ name: 'localhost' })), BASE_URL: 'http://a.example' },
      'warn: BASE_URL begins with http://',
    ],
    [{ PROCESSES: '2', DATABASE_URL: 'sqlite::memory:' }, 'fatal: PROCESSES must be 1'],
    [
      { DISABLED_BINDINGS: 'AuthKode:GET' },
      'fatal: DISABLED_BINDINGS: unknown operation AuthKode. Did you mean AuthCode?',
    ],
    [{ ADMIN_HOST: '*' }, 'fatal: ADMIN_HOST makes the console reachable from other machines'],
    [{ ADMIN_HOST: '10.1.2.3' }, 'fatal: ADMIN_HOST makes the console reachable'],
    [{ ADMIN_HOST: 'admin.example', ADMIN_USERS_FILE: 'nowhere.json' }, 'fatal: Cannot read nowhere.json'],
    [{ ADMIN_USERS_FILE: write('nobody-may.json', { users: {} }) }, 'fatal: /'],
    [{ ADMIN_USERS_FILE: write('no-users.json', { user: 1 }) }, 'fatal: /'],
    [
      { ADMIN_USERS_FILE: write('plain.json', { users: { a: { role: 'viewer', secret: 's3cret' } } }) },
      'fatal: /',
    ],
    [{ ACCESS_FILE: write('no.json', '{') }, 'fatal: /'],
    [
      { ACCESS_FILE: write('wrong.json', { callers: { portal: {} } }) },
      `fatal: ${join(folder, 'wrong.json')} (ACCESS_FILE), callers > portal: `,
    ],
    [{ TLS_KEY_FILE: 'a.key' }, 'fatal: TLS_KEY_FILE is set, so TLS_CERT_FILE is required'],
    [{ GATEWAYS_FILE: '' }, 'fatal: SMS_CHANNEL=http needs GATEWAYS_FILE.'],
    [{ FCM_SERVICE_ACCOUNT: '' }, 'fatal: PUSH_CHANNEL=fcm needs FCM_SERVICE_ACCOUNT.'],
    [{ FCM_SERVICE_ACCOUNT: 'none.json' }, 'fatal: Cannot read none.json (FCM_SERVICE_ACCOUNT).'],
    [{ DELIVERY_FILE: 'none.json' }, 'fatal: Cannot read none.json (DELIVERY_FILE).'],
    [{ ROLE: 'web', DELIVERY_FILE: 'none.json' }, 'fatal: Cannot read none.json (DELIVERY_FILE).'],
    [{ TIME_ZONE: 'Mars' }, 'fatal: TIME_ZONE: "Mars" is not valid.'],
    [{ GATEWAYS_FILE: 'none.json' }, 'fatal: Cannot read none.json (GATEWAYS_FILE).'],
    [{ SMS_TEXT: 'Hello' }, 'fatal: SMS_TEXT: the placeholder {code} is missing.'],
    [
      { LEASE_SECONDS: '10' },
      'fatal: LEASE_SECONDS is not a setting any more: write PROVIDER_TIMEOUT_SECONDS;',
    ],
    [{ PORT: 'x' }, 'fatal: PORT: "x" is not valid'],
  ])('with %j are one line', async (settings, expected) => {
    const found = (await find(settings)).filter(
      (line) => !line.includes('DEFAULT_COUNTRY is not set') || expected.includes(' is not set'),
    );
    expect(found).toEqual([expect.stringContaining(expected)]);
    expect(found[0]).not.toContain('\n');
  });

  it.each([
    [{ ROLE: 'web', SMS_CHANNEL: 'file', SMS_TEXT: 'no code' }],
    [{ ROLE: 'worker', HOST: '*', PROCESSES: '2', DATABASE_URL: 'sqlite::memory:' }],
    [{ SMS_CHANNEL: 'file', DEFAULT_COUNTRY: '', ROLE: 'web' }],
  ])('with %j are empty, because it does not matter there', async (settings) => {
    expect(await find(settings)).toEqual([]);
  });

  it('include the log fields of a long text', async () => {
    const [found] = await look({ SMS_TEXT: `{code} ${'ş'.repeat(70)}` });
    expect(found).toMatchObject({ level: 'warn', fields: { encoding: 'UCS-2', length: 77, parts: 2 } });
  });

  it('include a file that others can read, with the remedy', async () => {
    mkdirSync(QUIET.DATA_DIR);
    chmodSync(QUIET.DATA_DIR, 0o755);
    expect(await find({})).toEqual([
      expect.stringMatching(/^warn: .*data contains personal data .*\. Run: chmod 700 /),
    ]);
    rmSync(QUIET.DATA_DIR, { recursive: true });
  });

  it('give the .env lines of the settings, and list all problems', async () => {
    const found = await find(
      { SMS_CHANNEL: 'file', GATEWAYS_FILE: '' },
      'SMS_TEXT=no code\n\nSMS_CHANNEL=http\nPUSH_CHANEL=fcm\n',
    );
    expect(found).toEqual([
      expect.stringMatching(/^warn: .*\.env, line 4: unknown setting PUSH_CHANEL/),
      expect.stringMatching(/^fatal: SMS_TEXT: .*\.env, SMS_TEXT: line 1\]$/),
      'warn: SMS are not sent (SMS_CHANNEL=file); they are only written to a file.',
    ]);
  });

  it('are about the settings only if these are invalid', async () => {
    expect(await find({ PORT: 'x', HOST: 'a b', SMS_TEXT: 'no code' })).toEqual([
      expect.stringContaining('fatal: PORT: '),
      expect.stringContaining('fatal: HOST: '),
    ]);
  });
});

describe('the version of Node.js', () => {
  const at = (version: string, moment: string): readonly string[] =>
    nodeFindings(version, Date.parse(moment)).map(({ level, message }) => `${level}: ${message}`);

  it('causes a warning from the day after its end of life', () => {
    expect(at('20.20.2', '2026-04-30T23:59:59.999Z')).toEqual([]);
    expect(at('20.20.2', '2026-05-01T00:00:00Z')).toEqual([
      'warn: Node.js 20 has received no security fixes since 2026-04-30. Upgrade to Node.js 24.',
    ]);
  });

  it.each([
    ['22.12.0', '2027-05-01T00:00:00Z', 1],
    ['24.0.0', '2028-04-30T12:00:00Z', 0],
    ['25.1.0', '2026-06-02T00:00:00Z', 1],
    ['26.0.0', '2026-11-25T00:00:00Z', 0],
    // Not known here: a later one than this program.
    ['99.0.0', '2090-01-01T00:00:00Z', 0],
  ])('%s at %s has %d warnings', (version, moment, count) => {
    expect(at(version, moment)).toHaveLength(count);
  });

  it('is checked before a start', async () => {
    const settings = readSettings(QUIET, write('.env', ''));
    const today = nodeFindings(process.versions.node, Date.now());
    expect(await preflight(settings)).toEqual([...(await preflight(settings, { node: '24.0.0' })), ...today]);
    const [...found] = await preflight(settings, { node: '20.20.0' });
    expect(found.at(-1)?.message).toMatch(/^Node\.js 20 has received no/);
  });
});
