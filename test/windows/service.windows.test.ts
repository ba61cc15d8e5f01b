import { readdirSync, writeFileSync } from 'node:fs';

import { exchange, get, request, token11, token12 } from '../../scripts/harness';
import { FakeProvider, writeGatewaysFile } from '../../scripts/harness/delivery';
import { Commands, driveC, endRunning, run, type Service, type Settings, startService } from './wine';

afterAll(endRunning);

const TOKEN = 'sample-token-01';
const bindings = () =>
  [
    token11('DEV-1'),
    token12('DEV-1'),
    get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1'),
    request('post', 'PushNotificationMobile', 'GetTokenDevice', { id: 'DEV-1' }),
  ] as const;

async function answersAllBindings({ port }: Service): Promise<void> {
  for (const each of bindings()) {
    const { status, body } = await exchange(port, each);
    expect(status).toBe(200);
    expect(body.toString()).toContain(TOKEN);
  }
}

const askCode = (service: Service, phone: string) =>
  exchange(service.port, request('post', 'AuthCodeSending', 'AuthCode', { code: '123456', phone }));

function filesIn(folder: string): readonly string[] {
  return readdirSync(driveC(folder)).toSorted();
}

let commands: Commands;
let gateway: FakeProvider;
let gateways: Settings;
beforeAll(async () => {
  commands = new Commands();
  gateway = await new FakeProvider().start();
  writeGatewaysFile(driveC(''), { url: `${gateway.url}/sms` });
  gateways = {
    ...{ SMS_CHANNEL: 'http', GATEWAYS_FILE: 'C:\\gateways.json' },
    ...{ DEFAULT_COUNTRY: 'TR', SMS_TEXT: 'Şifre {code}' },
  };
});
afterAll(() => gateway.stop());

describe('on Node.js 24 for Windows', () => {
  const folder = 'Okul verisi ş';
  const settings: Settings = { SAMPLE_DATA: 'true', DATA_DIR: `C:\\${folder}\\data` };
  const command = (...args: readonly string[]) => run(args, { settings });
  let service: Service;

  beforeAll(async () => {
    service = await startService({ ...settings, ...gateways });
  });

  it('answers all four bindings', async () => {
    await answersAllBindings(service);
  });

  it('shows the console, and is ready', async () => {
    const page = await fetch(service.adminUrl('/'));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('</html>');
    expect((await fetch(service.url('/readyz'))).status).toBe(200);
  });

  it('names the program in quotes, since its path has a blank', () => {
    expect(service.errors).not.toMatch(/node C:\\[^\n]* bildirim/);
  });

  it('sends a code to the gateway', async () => {
    gateway.received.length = 0;
    expect((await askCode(service, '05321112233')).status).toBe(200);
    const [sent] = await gateway.receives(1);
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ to: '+905321112233', text: 'Şifre 123456' });
    await service.says(/"channel":"sms","state":"sent"/);
  });

  it('is backed up while it runs, twice to the same name, and leaves no other file', async () => {
    const file = `C:\\${folder}\\kept.db`;
    for (const options of [[], ['--replace']]) {
      const { code, stdout, stderr } = await command('backup', ...options, file);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Backup written to ${file}`);
    }
    expect(filesIn(folder)).toEqual(['data', 'kept.db']);
  });

  it('is not restored while it runs', async () => {
    const { code, stderr } = await command('restore', '--replace', `C:\\${folder}\\kept.db`);
    expect(code).toBe(1);
    expect(stderr).toContain('in use by a service');
  });

  it('is restored from the backup when it was killed', async () => {
    await service.kill();
    const { code, stdout, stderr } = await command('restore', '--replace', `C:\\${folder}\\kept.db`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('The previous database was kept as');
    expect(filesIn(`${folder}/data`).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('stops on Ctrl-C in its console, with exit code 0', async () => {
    const again = await startService(settings, { inTerminal: true });
    again.pressCtrlC();
    await again.says(/"msg":"stopped"/);
    expect(await again.ended()).toBe(0);
  });
});

/** Where Node.js 20 differs: another library for SQLite, and another libuv for files and connections. */
describe('on Node.js 20 for Windows', () => {
  const settings: Settings = { SAMPLE_DATA: 'true', DATA_DIR: 'C:\\yirmi ş' };
  const command = (...args: readonly string[]) => run(args, { node: 20, settings });

  it('answers, sends, is backed up while it runs, and is restored', async () => {
    const service = await startService({ ...settings, ...gateways }, { node: 20 });
    await answersAllBindings(service);
    gateway.received.length = 0;
    expect((await askCode(service, '05321112244')).status).toBe(200);
    const [sent] = await gateway.receives(1);
    expect(sent?.body).toContain('+905321112244');
    const backup = await command('backup', 'C:\\yirmi.db');
    expect({ code: backup.code, stderr: backup.stderr }).toEqual({ code: 0, stderr: '' });
    await service.kill();
    const { code, stderr } = await command('restore', '--replace', 'C:\\yirmi.db');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('the service on Windows', () => {
  it('reloads its settings when the file changes, with CRLF and a byte order mark', async () => {
    const file = driveC('reload.env');
    const lines = (text: string): string => `\ufeff${['RELOAD_ON_CHANGE=true', text, ''].join('\r\n')}`;
    writeFileSync(file, lines('SMS_TEXT=Kod {code}'));
    const service = await startService({
      ...{ SETTINGS_FILE: 'C:\\reload.env', DATA_DIR: 'C:\\reload ş', SAMPLE_DATA: 'true' },
    });
    writeFileSync(file, lines('SMS_TEXT=Şifre {code}'));
    await service.says(/"reloaded settings and files"/);
    expect(service.log).toContain('"needRestart":["SMS_TEXT"]');
    await service.kill();
  });

  it('runs in two processes, and makes its scheduled backups', async () => {
    const service = await startService({
      ...{ DATA_DIR: 'C:\\two', SAMPLE_DATA: 'true', PROCESSES: '2' },
      ...{ BACKUP_FOLDER: 'C:\\two backups', BACKUP_EVERY: '1h' },
    });
    await answersAllBindings(service);
    await service.says(/database backup completed/);
    const names = filesIn('two backups');
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^service-\d{8}T\d{6}Z\.db$/);
    await service.kill();
  });

  const kills = Number(process.env['WINDOWS_KILLS'] ?? 2);
  const allKillsMs = 60_000 + kills * 60_000;

  it(
    'loses nothing that it acknowledged over kills',
    async () => {
      const settings = { DATA_DIR: 'C:\\kills', SAMPLE_DATA: 'true' };
      for (let round = 0; round < kills; round += 1) {
        const service = await startService(settings);
        const phone = `0532${String(1_000_000 + round)}`;
        expect((await askCode(service, phone)).status).toBe(200);
        await service.kill();
      }
      const listed = ['deliveries', 'list', '--channel', 'sms', '--limit', '100'];
      const { stdout } = await commands.run(listed, { settings });
      expect(stdout.match(/^\S+ +.*\bsms\b/gm)).toHaveLength(kills);
    },
    allKillsMs,
  );
});

describe('gateways test on Windows', () => {
  it('sends one SMS, and shows request and answer', async () => {
    gateway.received.length = 0;
    const test = ['gateways', 'test', 'gateway', '+905551112233'];
    const sent: unknown = expect.stringContaining('> POST ');
    expect(await commands.run(test, { settings: gateways })).toEqual({ code: 0, stdout: sent, stderr: '' });
    expect(gateway.received.map(({ body }) => body)).toEqual([expect.stringContaining('+905551112233')]);
  });
});
