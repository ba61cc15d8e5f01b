import { readdirSync, writeFileSync } from 'node:fs';

import { exchange, get, request, token11, token12 } from '../../scripts/harness';
import { FakeProvider, writeGatewaysFile } from '../../scripts/harness/delivery';
import {
  Commands,
  driveC,
  endRunning,
  type Result,
  runCommand,
  type Service,
  type Settings,
  startService,
} from './wine';

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

/** Returns how many SMS a command lists. */
function countSms({ code, stdout }: Result): number {
  expect(code).toBe(0);
  return stdout.match(/^\S+ +.*\bsms\b/gm)?.length ?? 0;
}

const LIST = ['deliveries', 'list', '--channel', 'sms', '--limit', '100'];

let gateway: FakeProvider;
let gateways: Settings;
beforeAll(async () => {
  gateway = await new FakeProvider().start();
  writeGatewaysFile(driveC(''), { url: `${gateway.url}/sms` });
  gateways = {
    ...{ SMS_CHANNEL: 'http', GATEWAYS_FILE: 'C:\\gateways.json' },
    ...{ DEFAULT_COUNTRY: 'TR', SMS_TEXT: 'Şifre {code}' },
  };
});
afterAll(() => gateway.stop());

// The service is started as rarely as its states allow: each start takes seconds.
describe('on Node.js 24 for Windows', () => {
  const folder = 'Okul verisi ş';
  const settings: Settings = { SAMPLE_DATA: 'true', DATA_DIR: `C:\\${folder}\\data` };
  const command = (...args: readonly string[]) => runCommand(args, { settings });
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

  const kills = Number(process.env['WINDOWS_KILLS'] ?? 1);
  const allKillsMs = 60_000 + kills * 60_000;

  it(
    'loses nothing that it acknowledged over kills',
    async () => {
      for (let round = 1; round <= kills; round += 1) {
        if (round > 1) service = await startService(settings);
        const phone = `0532${String(1_000_000 + round)}`;
        expect((await askCode(service, phone)).status).toBe(200);
        await service.kill();
      }
      // With that of the test above.
      expect(countSms(await command(...LIST))).toBe(1 + kills);
    },
    allKillsMs,
  );

  describe('started again after a kill, in two processes', () => {
    const file = driveC('reload.env');
    const lines = (text: string): string => `\ufeff${['RELOAD_ON_CHANGE=true', text, ''].join('\r\n')}`;

    beforeAll(async () => {
      writeFileSync(file, lines('SMS_TEXT=Kod {code}'));
      service = await startService(
        {
          ...{ ...settings, SETTINGS_FILE: 'C:\\reload.env', PROCESSES: '2' },
          ...{ BACKUP_FOLDER: 'C:\\two backups', BACKUP_EVERY: '1h' },
        },
        { inTerminal: true },
      );
    });

    it('answers, and has all messages', async () => {
      await answersAllBindings(service);
      expect(countSms(await command(...LIST))).toBe(1 + kills);
    });

    it('makes its scheduled backups', async () => {
      await service.says(/database backup completed/);
      const names = filesIn('two backups');
      expect(names).toHaveLength(1);
      expect(names[0]).toMatch(/^service-\d{8}T\d{6}Z\.db$/);
    });

    it('reloads its settings when the file changes, with CRLF and a byte order mark', async () => {
      writeFileSync(file, lines('SMS_TEXT=Şifre {code}'));
      await service.says(/"reloaded settings and files"/);
      expect(service.log).toContain('"needRestart":["SMS_TEXT"]');
    });

    it('stops on Ctrl-C in its console, with exit code 0', async () => {
      service.pressCtrlC();
      await service.says(/"msg":"stopped"/);
      expect(await service.ended()).toBe(0);
    });
  });
});

/** Where Node.js 20 differs: another library for SQLite, and another libuv for files and connections. */
describe('on Node.js 20 for Windows', () => {
  const folder = 'yirmi ş';
  const settings: Settings = { SAMPLE_DATA: 'true', DATA_DIR: `C:\\${folder}` };

  it('answers, sends, is backed up while it runs, and is restored when it was killed', async () => {
    const commands = new Commands(20);
    const command = (...args: readonly string[]) => commands.run(args, { settings });
    const service = await startService({ ...settings, ...gateways }, { node: 20 });
    await answersAllBindings(service);
    gateway.received.length = 0;
    expect((await askCode(service, '05321112244')).status).toBe(200);
    const [sent] = await gateway.receives(1);
    expect(sent?.body).toContain('+905321112244');
    const backup = await command('backup', 'C:\\yirmi.db');
    expect({ code: backup.code, stderr: backup.stderr }).toEqual({ code: 0, stderr: '' });
    expect((await askCode(service, '05321112255')).status).toBe(200);
    await service.kill();
    const restore = () => command('restore', '--replace', 'C:\\yirmi.db');
    let restored = await restore();
    // Wine lets go of the files of a killed process a moment later.
    while (restored.stderr.includes('in use by a service')) restored = await restore();
    const { code, stdout, stderr } = restored;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('The previous database was kept as');
    expect(filesIn(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
    // The second code came after the backup.
    expect(countSms(await command(...LIST))).toBe(1);
  });
});

describe('gateways test on Windows', () => {
  it('sends one SMS, and shows request and answer', async () => {
    gateway.received.length = 0;
    const test = ['gateways', 'test', 'gateway', '+905551112233'];
    const sent: unknown = expect.stringContaining('> POST ');
    expect(await runCommand(test, { settings: gateways })).toEqual({ code: 0, stdout: sent, stderr: '' });
    expect(gateway.received.map(({ body }) => body)).toEqual([expect.stringContaining('+905551112233')]);
  });
});
