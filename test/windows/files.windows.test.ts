import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type PostgresCluster, startPostgresCluster, packageRoot } from '../../scripts/harness';
import { driveC, endRunning, PROGRAM_FOLDER, Running, nodePath, run, runWine, type Settings } from './wine';

afterAll(endRunning);

const settings: Settings = { DATA_DIR: 'C:\\Veri ş' };
const SAMPLE = join(packageRoot(), 'scripts', 'sample-school');
const command = (...args: readonly string[]) => run(args, { settings });

/** Libuv's flag for a file that no other program may open, as Excel has it while it saves. */
const ALONE = 0x1000_0000;

/** Has a file open as other programs of Windows have it, until it is killed. */
async function hold(path: string): Promise<Running> {
  const script = `require('fs').openSync(process.argv[1], require('fs').constants.O_RDWR | ${String(ALONE)}); console.error('held'); setInterval(() => 0, 1e6)`;
  const holder = new Running([nodePath(24), '-e', script, path], {});
  await holder.says(/held/);
  return holder;
}

function write(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  mkdirSync(driveC(folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(driveC(folder), name), text);
}

const sample = (name: string): string => readFileSync(join(SAMPLE, name), 'utf8');

describe('files on Windows', () => {
  it('are imported whatever the case of their names, with CRLF, a byte order mark and a semicolon', async () => {
    const names = readdirSync(SAMPLE).filter((name) => name.endsWith('.csv'));
    write(
      'Alım ş',
      Object.fromEntries(
        names.map((name) => [name.toUpperCase(), `\ufeff${sample(name).replace(/\r?\n/g, '\r\n')}`]),
      ),
    );
    const { code, stdout, stderr } = await command('import', 'C:\\Alım ş');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/students\.csv +loaded/i);
  });

  it('are refused in UTF-16 with what to do', async () => {
    write('utf16', { 'schools.csv': Buffer.from(`\ufeff${sample('schools.csv')}`, 'utf16le') });
    const { code, stdout } = await command('import', 'C:\\utf16');
    expect(code).toBe(1);
    expect(stdout).toContain('save the file as CSV in UTF-8');
  });

  it('are exported to a path that is relative to the drive, and to one of more than 260 characters', async () => {
    const long = `C:\\${'uzun-klasör\\'.repeat(24)}son`;
    for (const folder of ['C:export', long]) {
      const { code, stderr } = await command('export', folder);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    expect(long.length).toBeGreaterThan(260);
    expect(readdirSync(driveC(`${PROGRAM_FOLDER}/export`))).toContain('students.csv');
    expect(readdirSync(driveC(long.slice(3).replaceAll('\\', '/')))).toContain('students.csv');
  });

  it('are a workbook from the archive, filled in or empty', async () => {
    const { stdout } = await command('import', '--dry-run', `C:\\${PROGRAM_FOLDER}\\school.tr.xlsx`);
    expect(stdout).toContain('Dry run: nothing was written.');
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
