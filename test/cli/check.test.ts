import { chmodSync, copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CLOSED_PORT } from '../../scripts/harness';
import { providerSettings, writeServiceAccount, writeGatewaysFile } from '../../scripts/harness/delivery';
import { SETTINGS } from '../../src/config';
import { useProvider } from '../delivery/use-provider';
import { becomeNextVersion, markAsLater } from '../harness/other-versions';
import { administer } from '../harness/postgres-databases';
import { runCommand } from '../harness/run-command';
import { ENGINES, itOnPostgres, type TestDatabase, useDatabase } from '../harness/test-databases';
import { useFolderPerTest } from '../harness/use-folder';

const NOWHERE = `http://127.0.0.1:${String(CLOSED_PORT)}`;

type SettingTexts = Readonly<Record<string, string>>;

interface Outcome {
  readonly code: number;
  readonly out: string;
}

/** Runs the command in a folder, with settings and nothing else in its environment. */
async function check(folder: string, settings: SettingTexts, args: readonly string[] = []): Promise<Outcome> {
  const { err, ...outcome } = await runCommand('check', args, { folder, settings });
  expect(err).toBe('');
  return outcome;
}

/** The lines of one part of the output. */
function part({ out }: Outcome, title: string): readonly string[] {
  const [, ...lines] =
    out
      .split('\n\n')
      .find((text) => text.startsWith(title))
      ?.split('\n') ?? [];
  return lines.map((line) => line.trim());
}

/** The lines about what is wrong. */
function findings({ out }: Outcome): readonly string[] {
  return out.split('\n').flatMap((line) => /^ {2}((?:Warning|Error): .*)/.exec(line)?.[1] ?? []);
}

/** Settings of a service with which nothing is wrong. */
function sound({ url, folder }: TestDatabase, provider: string): SettingTexts {
  if (url.startsWith('sqlite:')) chmodSync(url.replace('sqlite:', ''), 0o600);
  return {
    ...providerSettings(folder, provider),
    ...{ DATABASE_URL: url, DATA_DIR: folder, HOST: '127.0.0.1', DEFAULT_COUNTRY: 'TR' },
  };
}

describe.each(ENGINES)('the check on %s', (name) => {
  const provider = useProvider();
  const database = useDatabase(name);
  const empty = useDatabase(name, { holds: 'nothing' });

  it('finds no problems with a working service, and sends nothing', async () => {
    const outcome = await check(database.folder, sound(database, provider().url));
    expect(findings(outcome)).toEqual([]);
    expect(outcome).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\n\nNo problems found\.\n$/) as string,
    });
    const address = new URL(provider().url).host;
    expect(part(outcome, 'Providers')).toEqual([
      `sms (gateway)  a connection to ${address}`,
      `push (fcm)     an access token, and a connection to ${address}`,
    ]);
    expect(provider()).toMatchObject({ received: [], tokensGiven: 1 });
    expect(part(outcome, 'Store').slice(0, name === 'sqlite' ? 4 : 3)).toEqual([
      expect.stringMatching(name === 'sqlite' ? /^engine {4}SQLite 3\./ : /^engine {4}PostgreSQL \d/),
      ...(name === 'sqlite' ? [expect.stringMatching(/^file {5}.*service\.db, mode 600$/) as string] : []),
      expect.stringMatching(/^schema {4}\d{4}_\w+ \(current\)$/),
      'writable  yes',
    ]);
  });

  it('warns of a schema that the next start will upgrade, and leaves it unchanged', async () => {
    becomeNextVersion();
    for (const outcome of [
      await check(database.folder, sound(database, provider().url)),
      await check(database.folder, sound(database, provider().url)),
    ]) {
      expect(outcome.code).toBe(0);
      expect(findings(outcome)).toEqual([expect.stringContaining('The database schema is out of date')]);
      expect(part(outcome, 'Store')).toContain('schema    0003_receipt_exact');
    }
  });

  it('leaves it to the next start to create a missing database', async () => {
    const settings = { ...sound(database, provider().url), DATABASE_URL: empty.url };
    const outcome = await check(empty.folder, settings);
    expect(outcome.code).toBe(0);
    expect(part(outcome, 'Store').join('\n')).toContain('not created yet; the next start will create it');
    expect(existsSync(join(empty.folder, 'service.db'))).toBe(false);
  });

  it('reports a database of a newer program as an error', async () => {
    await markAsLater(database.url);
    const outcome = await check(database.folder, sound(database, provider().url));
    expect(outcome.code).toBe(2);
    expect(findings(outcome)).toEqual([
      expect.stringMatching(/^Error: DATABASE_URL: .* 9999_later instead of .* Use a newer version/),
    ]);
    // What else there is to look at is looked at.
    expect(part(outcome, 'Providers')).toHaveLength(2);
  });
});

describe('the check', () => {
  const provider = useProvider();
  const database = useDatabase('sqlite', { per: 'block' });
  const onServer = ENGINES.includes('postgres') ? useDatabase('postgres', { per: 'block' }) : database;
  const folder = useFolderPerTest();
  let settings: SettingTexts = {};
  beforeEach(() => {
    settings = sound(database, provider().url);
  });

  it('warns of a Node.js without security fixes', async () => {
    const { code, out } = await runCommand('check', [], { folder: folder(), settings, node: '20.20.2' });
    expect(code).toBe(0);
    expect(out).toContain('Warning: Node.js 20 has received no security fixes since 2026-04-30');
  });

  it('shows where every setting comes from, with its line in the file', async () => {
    writeFileSync(join(folder(), '.env'), '# ours\nNO_PROXY="a\n\u001b[2J"\nPROCESSES=\n');
    const outcome = await check(folder(), settings, ['--all']);
    const lines = part(outcome, 'Settings');
    expect(outcome.code).toBe(0);
    expect(lines.map((line) => line.split(' ')[0]).toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
    // Without --all only the changed settings, which come first.
    const short = part(await check(folder(), settings), 'Settings').map((line) => line.replace(/ +/g, ' '));
    const all = lines.map((line) => line.replace(/ +/g, ' '));
    expect(short.slice(0, -1)).toEqual(all.slice(0, short.length - 1));
    expect(short.slice(0, -1).some((line) => line.includes(' default'))).toBe(false);
    expect(short.at(-1)).toMatch(/^all others +default +\d+ settings; --all lists them$/);
    const squeezed = lines.map((line) => line.replace(/ +/g, ' '));
    expect(squeezed).toContain('HOST environment 127.0.0.1');
    expect(squeezed).toContain('NO_PROXY .env, line 2 a\\u{a}\\u{1b}[2J');
    expect(squeezed).toContain('PROCESSES default (empty: .env, line 4) 1');
    expect(squeezed).toContain('PORT default 8080');
  });

  it('creates nothing in an empty folder, and gives the warnings of a first start', async () => {
    const outcome = await check(folder(), {});
    expect(outcome.code).toBe(0);
    expect(findings(outcome).every((line) => line.startsWith('Warning: '))).toBe(true);
    expect(findings(outcome)).toContain(
      'Warning: SMS are not sent (SMS_CHANNEL=file); they are only written to a file.',
    );
    expect(outcome.out.split('\n').at(-2)).toBe('No errors, 4 warnings.');
    expect(readdirSync(folder())).toEqual([]);
  });

  it('warns of an unknown name in .env, and of files with loose permissions', async () => {
    writeFileSync(join(folder(), '.env'), 'GATEWAY_FILE=x\n');
    const file = join(folder(), 'service.db');
    copyFileSync(database.url.replace('sqlite:', ''), file);
    chmodSync(file, 0o644);
    const outcome = await check(folder(), { ...settings, DATABASE_URL: `sqlite:${file}` });
    expect(outcome.code).toBe(0);
    expect(findings(outcome)).toEqual([
      expect.stringMatching(/^Warning: \.env, line 1: unknown setting GATEWAY_FILE; .* GATEWAYS_FILE\?/),
      expect.stringMatching(/^Warning: .*service\.db contains personal data.*chmod 600/),
    ]);
    expect(part(outcome, 'Store').join('\n')).toContain('service.db, mode 644');
  });

  it('reports every invalid setting, and checks nothing else', async () => {
    writeFileSync(join(folder(), '.env'), 'ADMIN_METRICS_TOKEN=hunter2#hunter3\nPORT=99999\nA line\n');
    const outcome = await check(folder(), settings);
    expect(outcome.code).toBe(2);
    expect(findings(outcome)).toEqual([
      expect.stringMatching(/^Error: \.env, line 3: expected NAME=value/),
      expect.stringMatching(/^Error: PORT: "99999" is not valid\. .* \[\.env, PORT: line 2\]$/),
      expect.stringMatching(
        /^Error: ADMIN_METRICS_TOKEN contains a #.* \[\.env, ADMIN_METRICS_TOKEN: line 1\]$/,
      ),
    ]);
    expect(outcome.out).not.toMatch(/hunter|Providers/);
  });

  it('never shows a secret, whatever is wrong', async () => {
    const url = 'postgres://user:hunter2@127.0.0.1:1/school?password=hunter2';
    const GATEWAYS_FILE = writeGatewaysFile(folder(), {
      url: 'http://u:hunter2@127.0.0.1:1/hunter2?key=hunter2',
      values: { key: 'hunter2' },
      body: { key: '{key}', to: '{phone}', text: '{text}' },
    });
    const FCM_SERVICE_ACCOUNT = writeServiceAccount(folder(), 'http://u:hunter2@127.0.0.1:1/');
    const secrets = { DATABASE_URL: url, GATEWAYS_FILE, FCM_SERVICE_ACCOUNT };
    const outcome = await check(folder(), { ...settings, ...secrets });
    expect(outcome.code).toBe(2);
    expect(outcome.out).not.toContain('hunter2');
    expect(outcome.out).toContain('postgres://***@127.0.0.1:1/school');
    expect(findings(outcome)).toEqual([
      expect.stringContaining('Error: DATABASE_URL: PostgreSQL does not respond. (ECONNREFUSED)'),
      expect.stringContaining('Error: Cannot send SMS. The connection to 127.0.0.1:1 failed'),
      expect.stringContaining('Error: Cannot send push messages. Could not get an access token for FCM'),
    ]);
  });

  it('names each of several database servers, without a password', async () => {
    const hosts = '127.0.0.1:1,127.0.0.1:2';
    const url = `postgres://user:hunter2@${hosts}/school`;
    const outcome = await check(folder(), { ...settings, DATABASE_URL: url });
    expect(outcome.out).toContain(`postgres://***@${hosts}/school\n`);
    expect(findings(outcome)[0]).toMatch(
      /^Error: DATABASE_URL: No PostgreSQL server can be used\. 127\.0\.0\.1:1: .*\(ECONNREFUSED\); 127\.0\.0\.1:2: /,
    );
    const wrong = await check(folder(), { ...settings, DATABASE_URL: `${url}?target_session_attrs=standby` });
    expect(wrong.out).toMatch(/Unknown target_session_attrs "standby"\. Use any, read-write or primary/);
    expect(outcome.out + wrong.out).not.toContain('hunter2');
  });

  it.each([
    [
      'no access token',
      () => ({ FCM_SERVICE_ACCOUNT: writeServiceAccount(folder(), `${NOWHERE}/token`) }),
      'Could not get an access token for FCM',
    ],
    [
      'no FCM',
      () => ({ FCM_SERVICE_ACCOUNT: writeServiceAccount(folder(), `${provider().url}/token`, NOWHERE) }),
      'Cannot send push messages. The connection to 127.0.0.1:',
    ],
  ])('fails with %s', async (_what, wrong, expected) => {
    const outcome = await check(folder(), { ...settings, ...wrong() });
    expect(outcome.code).toBe(2);
    expect(findings(outcome)).toEqual([expect.stringContaining(expected)]);
    expect(provider().received).toEqual([]);
  });

  it('contacts no provider if nothing is delivered', async () => {
    const outcome = await check(folder(), { ...settings, ROLE: 'web' });
    expect(part(outcome, 'Providers')).toEqual(['none  not used by this process (ROLE=web)']);
    expect(provider().tokensGiven).toBe(0);
  });

  it('contacts the providers of a worker', async () => {
    const outcome = await check(folder(), { ...settings, ROLE: 'worker' });
    expect(part(outcome, 'Providers').map((line) => line.split(' ')[0])).toEqual(['sms', 'push']);
    expect(provider().tokensGiven).toBe(1);
  });

  it('fails with settings that contradict each other', async () => {
    const outcome = await check(folder(), {
      ...settings,
      GATEWAYS_FILE: '',
      SMS_TEXT: 'no code',
    });
    expect(outcome.code).toBe(2);
    expect(findings(outcome)).toEqual([
      expect.stringContaining('Error: SMS_TEXT: the placeholder {code} is missing'),
      expect.stringContaining('Error: SMS_CHANNEL=http needs GATEWAYS_FILE'),
    ]);
    expect(part(outcome, 'Providers')).toEqual(['none  not checked']);
  });

  it('fails with folders that cannot be created', async () => {
    writeFileSync(join(folder(), 'file'), '');
    const DATA_DIR = join(folder(), 'file', 'data');
    const outcome = await check(folder(), { ...settings, DATA_DIR, DATABASE_URL: `sqlite:${DATA_DIR}/a.db` });
    expect(outcome.code).toBe(2);
    expect(findings(outcome)).toEqual([
      expect.stringMatching(
        /^Error: The database folder \(DATABASE_URL\) is not writable: .*file \(ENOTDIR\)/,
      ),
      expect.stringMatching(/^Error: The data folder \(DATA_DIR\) is not writable: .*file \(ENOTDIR\)/),
    ]);
  });

  itOnPostgres('fails with a read-only database', async () => {
    const name = new URL(onServer.url).pathname.slice(1);
    await administer(`alter database ${name} set default_transaction_read_only = on`);
    const outcome = await check(folder(), { ...settings, DATABASE_URL: onServer.url });
    await administer(`alter database ${name} reset default_transaction_read_only`);
    expect(outcome.code).toBe(2);
    expect(findings(outcome)).toEqual([expect.stringContaining('PostgreSQL is read-only')]);
  });

  it.each([
    [200, '{"name":"projects/p/messages/1"}', 0, ['outcome  sent', 'id       projects/p/messages/1']],
    [
      404,
      '{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}',
      2,
      [
        'outcome  dead-token',
        'Error: The test message was not sent. The device is no longer registered with FCM (HTTP 404, code UNREGISTERED).',
      ],
    ],
  ])('sends one push message if requested, and shows the answer %i', async (status, body, code, lines) => {
    provider().usual = { status, body };
    const outcome = await check(folder(), settings, ['--push', 'token-of-a-device']);
    expect(outcome.code).toBe(code);
    expect(provider().received).toHaveLength(1);
    expect(JSON.parse(provider().received[0]?.body ?? '')).toMatchObject({
      message: {
        token: 'token-of-a-device',
        notification: { title: 'Test', body: 'This is a test message.' },
      },
    });
    expect(part(outcome, 'Test push message to token-... (fcm)')).toEqual([
      `answer   ${String(status)} ${body}`,
      ...lines,
    ]);
  });
});
