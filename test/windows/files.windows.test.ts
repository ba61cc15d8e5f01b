import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  type PostgresCluster,
  exchange,
  PACKAGE_ROOT,
  request,
  startPostgresCluster,
} from '../../scripts/harness';
import { openDisk } from '../endurance/failover/disk';
import {
  driveC,
  endRunning,
  hold,
  nameDrive,
  PROGRAM_FOLDER,
  runCommand,
  runWine,
  type Settings,
  startService,
} from './wine';

const settings: Settings = { DATA_DIR: 'C:\\Veri ş' };
const SAMPLE = join(PACKAGE_ROOT, 'scripts', 'sample-school');
const command = (...args: readonly string[]) => runCommand(args, { settings });

afterAll(endRunning);

function write(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  mkdirSync(driveC(folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(driveC(folder), name), text);
}

const sample = (name: string): string => readFileSync(join(SAMPLE, name), 'utf8');

/** Returns a text as Notepad saves it in "Unicode". */
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const asInWindows = (text: string): string => `\ufeff${text.replace(/\r?\n/g, '\r\n')}`;

describe('files on Windows', () => {
  it('are imported whatever the case of their names, with CRLF, a byte order mark and a semicolon', async () => {
    const names = readdirSync(SAMPLE).filter((name) => name.endsWith('.csv'));
    write('Alım ş', Object.fromEntries(names.map((name) => [name.toUpperCase(), asInWindows(sample(name))])));
    const { code, stdout, stderr } = await command('import', 'C:\\Alım ş');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/students\.csv +loaded/i);
  });

  it('are refused in UTF-16 with what to do', async () => {
    write('utf16', {
      'schools.csv': utf16(sample('schools.csv')),
      'settings.env': utf16('SMS_TEXT=Kod {code}\r\n'),
      'gateways.json': utf16('{}\r\n'),
    });
    const { code, stdout } = await command('import', 'C:\\utf16');
    expect(code).toBe(1);
    expect(stdout).toContain('save the file as CSV in UTF-8');
    for (const setting of [
      { SETTINGS_FILE: 'C:\\utf16\\settings.env' },
      { SMS_CHANNEL: 'http', GATEWAYS_FILE: 'C:\\utf16\\gateways.json' },
    ]) {
      const checked = await runCommand(['check'], { settings: { ...settings, ...setting } });
      expect(checked.code).not.toBe(0);
      expect(checked.stdout + checked.stderr).toMatch(/not UTF-8.*Save it as UTF-8/);
    }
  });

  it('are exported to paths relative to drive and folder, in shares, and of more than 260 characters', async () => {
    const long = `C:\\${'uzun-klasör\\'.repeat(24)}son`;
    mkdirSync(driveC('../dosdevices/unc/sunucu/paylaşım'), { recursive: true });
    for (const folder of ['C:export', '\\kök', '\\\\sunucu\\paylaşım\\okul', long]) {
      const { code, stderr } = await command('export', folder);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    expect(long.length).toBeGreaterThan(260);
    for (const folder of [
      `${PROGRAM_FOLDER}/export`,
      'kök',
      '../dosdevices/unc/sunucu/paylaşım/okul',
      long.slice(3).replaceAll('\\', '/'),
    ])
      expect(readdirSync(driveC(folder))).toContain('students.csv');
    const { code, stdout } = await command('import', '--dry-run', '\\\\sunucu\\paylaşım\\okul');
    expect(code).toBe(0);
    expect(stdout).toContain('Dry run: nothing was written.');
  });

  it('are a workbook from the archive, filled in or empty', async () => {
    const { stdout } = await command('import', '--dry-run', `C:\\${PROGRAM_FOLDER}\\school.tr.xlsx`);
    expect(stdout).toContain('Dry run: nothing was written.');
    const filled = await command('import', `C:\\${PROGRAM_FOLDER}\\school.en.xlsx`);
    expect({ code: filled.code, stderr: filled.stderr }).toEqual({ code: 0, stderr: '' });
    expect(filled.stdout).toMatch(/students.*1 row/);
  });

  it('that Excel has open are named in the error, with what to do', async () => {
    write('held', { 'schools.csv': sample('schools.csv'), 'students.csv': sample('students.csv') });
    const held = await hold('C:\\held\\students.csv');
    const read = await command('import', 'C:\\held');
    expect(read.stderr + read.stdout).toContain(
      'Cannot read C:\\held\\students.csv (EBUSY). Another program has the file open. Close it there, for example in Excel.',
    );
    const written = await command('export', 'C:\\held');
    expect(written.stderr).toMatch(/Cannot write C:\\held\\students\.csv \(E(?:BUSY|PERM|ACCES)\)\./);
    expect(written.stderr).toContain('Excel');
    await held.kill();
    expect(readdirSync(driveC('held')).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('are not written where the account has no right to', async () => {
    // On Linux not even the administrator can create a file there.
    const { code, stderr } = await command('backup', 'Z:\\proc\\kept.db');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: Cannot write to the folder Z:\\proc \(E[A-Z]+\)/);
  });
});

const disk = openDisk();
(disk === undefined ? describe.skip : describe)('a full disk on Windows', () => {
  afterAll(() => disk?.remove());

  it('acknowledges no code, leaves no part of a file, and is enough again once it has room', async () => {
    if (disk === undefined) return;
    nameDrive('f', disk.path);
    const service = await startService({ DATA_DIR: 'F:\\veri', SAMPLE_DATA: 'true' });
    let acknowledged = 0;
    // Each of another phone, since there is a limit for each.
    const ask = async (): Promise<number> => {
      const phone = `0532${String(1_000_000 + acknowledged)}`;
      const code = request('post', 'AuthCodeSending', 'AuthCode', { code: '123456', phone });
      const { status } = await exchange(service.port, code);
      if (status === 200) acknowledged += 1;
      return status;
    };
    expect(await ask()).toBe(200);
    disk.fill();
    // The file system has some room of its own beside what it holds.
    let status = 200;
    while (status === 200 && acknowledged < 100) status = await ask();
    expect(status).toBe(500);
    const written = await command('export', 'F:\\okul');
    expect(written.code).toBe(1);
    expect(written.stderr).toMatch(/^Error: Cannot write F:\\okul.* \(ENOSPC\)\..*/);
    expect(
      readdirSync(disk.path, { recursive: true }).filter((name) => String(name).endsWith('.partial')),
    ).toEqual([]);
    disk.free();
    expect(await ask()).toBe(200);
    await service.kill();
    const listed = await runCommand(['deliveries', 'list', '--channel', 'sms', '--limit', '200'], {
      settings: { DATA_DIR: 'F:\\veri' },
    });
    expect(listed.stdout.match(/^\S+ +.*\bsms\b/gm)).toHaveLength(acknowledged);
  });
});

describe('commands on Windows', () => {
  it.each([
    [['check'], 0, /No errors/],
    [['deliveries', 'list'], 0, /No messages/],
    [['usage'], 0, /./],
    [['gateways', 'presets'], 0, /./],
    [['access-secret', '--generate', '--key'], 0, /./],
    [['forget', '--dry-run', '--device', 'DEV-1'], 0, /./],
  ] as const)('%j works', async (args, code, output) => {
    const result = await command(...args);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code, stderr: '' });
    expect(result.stdout).toMatch(output);
  });

  it('are run by the script of the archive, in the console’s own shell', async () => {
    const { code, stdout } = await runWine(['cmd', '/c', 'school-notifications.cmd', '--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1.0.0\n' });
  });

  it('add a user of the console', async () => {
    const added = await runCommand(['admin-user', 'ayse', '--role', 'operator'], {
      settings: { ...settings, ADMIN_USERS_FILE: 'C:\\users.json' },
      input: 'doğru at pil zımba\r\n',
    });
    expect({ code: added.code, stderr: added.stderr }).toEqual({ code: 0, stderr: '' });
    expect(added.stdout).toContain('Added ayse (operator).');
    expect(readFileSync(driveC('users.json'), 'utf8')).toMatch(/"ayse": \{\s+"role": "operator"/);
  });

  it('name the time zone to write for one of Windows', async () => {
    const zone = (TIME_ZONE: string) => runCommand(['check'], { settings: { ...settings, TIME_ZONE } });
    expect((await zone('Europe/Istanbul')).code).toBe(0);
    const refused = await zone('Turkey Standard Time');
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toMatch(/TIME_ZONE: .*Europe\/Istanbul/);
  });

  it('move the database to PostgreSQL', async () => {
    const cluster: PostgresCluster | undefined = await startPostgresCluster({ durable: false });
    if (cluster === undefined) throw new Error('This test needs PostgreSQL.');
    try {
      const { code, stdout, stderr } = await command('move', '--to', cluster.url);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('students');
    } finally {
      cluster.stop();
    }
  });
});
