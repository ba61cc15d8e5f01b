import { readdirSync, writeFileSync } from 'node:fs';

import { exchange, get, request, token11, token12 } from '../../scripts/harness';
import { driveC, endRunning, run, type Service, type Settings, startService } from './wine';

afterAll(endRunning);

const TOKEN = 'sample-token-01';
const bindings = () =>
  [
    token11('DEV-1'),
    token12('DEV-1'),
    get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1'),
    request('post', 'PushNotificationMobile', 'GetTokenDevice', { id: 'DEV-1' }),
  ] as const;

const askCode = (service: Service, phone: string) =>
  exchange(service.port, request('post', 'AuthCodeSending', 'AuthCode', { code: '123456', phone }));

describe.each([24, 20] as const)('on Node.js %s for Windows', (node) => {
  const folder = `Okul verisi ş ${String(node)}`;
  const settings: Settings = { SAMPLE_DATA: 'true', DATA_DIR: `C:\\${folder}\\data` };
  const command = (...args: readonly string[]) => run(args, { node, settings });
  let service: Service;

  beforeAll(async () => {
    service = await startService(settings, { node });
  });

  it('answers all four bindings', async () => {
    for (const each of bindings()) {
      const { status, body } = await exchange(service.port, each);
      expect(status).toBe(200);
      expect(body.toString()).toContain(TOKEN);
    }
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

  it('loses no code when it is killed, and is restored from the backup when it has ended', async () => {
    expect((await askCode(service, '05321112233')).status).toBe(200);
    await service.kill();
    const listed = await command('deliveries', 'list', '--channel', 'sms');
    expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/sms/);
    const { code, stdout, stderr } = await command('restore', '--replace', `C:\\${folder}\\kept.db`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('The previous database was kept as');
    expect(filesIn(`${folder}/data`).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('stops on Ctrl-C in its console, with exit code 0', async () => {
    const again = await startService(settings, { node, inTerminal: true });
    await again.says(/"listening; stop with/);
    again.pressCtrlC();
    await again.says(/"msg":"stopped"/);
    expect(await again.ended()).toBe(0);
  });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(driveC(folder)).toSorted();
}

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
    for (const each of bindings())
      expect((await exchange(service.port, each)).body.toString()).toContain(TOKEN);
    await service.says(/database backup completed/);
    const names = filesIn('two backups');
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^service-\d{8}T\d{6}Z\.db$/);
  });

  it('loses nothing that it acknowledged over kills', async () => {
    const kills = Number(process.env['WINDOWS_KILLS'] ?? 3);
    const settings = { DATA_DIR: 'C:\\kills', SAMPLE_DATA: 'true' };
    for (let round = 0; round < kills; round += 1) {
      const service = await startService(settings);
      const phone = `0532${String(1_000_000 + round)}`;
      expect((await askCode(service, phone)).status).toBe(200);
      await service.kill();
    }
    const { stdout } = await run(['deliveries', 'list', '--channel', 'sms', '--limit', '100'], { settings });
    expect(stdout.match(/^\S+ +.*\bsms\b/gm)).toHaveLength(kills);
  });
});
