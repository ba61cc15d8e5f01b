import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { childEnvironment, packageRoot, PROGRAM, ServerProcess } from '../../scripts/harness';
import { listCommands } from '../../src/cli/program';

interface Package {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

const PACKAGE = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as Package;
const NAME = 'school-notifications';

interface End {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(...args: readonly string[]): Promise<End> {
  return execute(PROGRAM, ...args);
}

function execute(...args: readonly string[]): Promise<End> {
  return new Promise((resolve) => {
    const environment = { cwd: packageRoot(), env: childEnvironment({}) };
    const child = execFile(process.execPath, [...args], environment, (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

describe('the installed program', () => {
  it('has a name, under which it prints its version', async () => {
    expect(PACKAGE.bin).toEqual({ [NAME]: 'dist/main.js' });
    expect(await run('--version')).toEqual({ code: 0, out: `${PACKAGE.version}\n`, err: '' });
  });

  it('lists all commands, and starts the service', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out).toContain('\nExamples:\n  npx school-notifications check\n');
    const [list = ''] = out.split('\n\nFor the options');
    const listed = [...list.matchAll(/^ {2}([a-z-]+) +\S/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual([...Object.keys(await listCommands()), 'start'].toSorted());
    // Without a name it shows the same, and nothing was done.
    expect(await run()).toEqual({ code: 1, out, err: '' });
  });

  it('shows the options of a command under its own name', async () => {
    const { code, out, err } = await run('deliveries', '--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`^Usage: ${NAME} deliveries\\b`));
    const { out: start } = await run('start', '--help');
    expect(start).toMatch(new RegExp(`^Usage: ${NAME} start\\n`));
    expect(start).toContain('\nExamples:\n  npx school-notifications start\n');
  });

  it('completes its work when the reader of its output goes away, as with `| head`', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'gateways', 'presets'], { env: childEnvironment({}) });
    child.stdout.destroy();
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('shows examples of every command, as they are called in a checkout', async () => {
    for (const { examples } of Object.values(await listCommands()))
      expect(examples.length).toBeGreaterThan(0);
    const { out } = await run('forget', '--help');
    expect(out).toMatch(
      /\nExamples:\n {2}npx school-notifications forget --phone "0555 111 22 33" --dry-run\n/,
    );
  });

  it('finds the file of each command', async () => {
    // In one process for all: each would take half a second to load what it stands on.
    const script = `void require('./dist/cli/program').listCommands().then((commands) => {
      for (const [name, { load }] of Object.entries(commands))
        void load().then((make) => console.log(name, make(process).name()));
    });`;
    const { out } = await execute('-e', script);
    const names = Object.keys(await listCommands()).map((name) => `${name} ${name}`);
    expect(out.trim().split('\n').toSorted()).toEqual(names.toSorted());
  });

  it.each([
    [['--version', 'start --help'], 'kysely|zod|commander|pg'],
    [
      ['import', 'export', 'deliveries', 'forget', 'backup', 'move'].map((name) => `${name} --help`),
      'soap|express|prom-client|undici|pino|yauzl|saxes',
    ],
  ])('does not load for %j what they do not need', async (calls, packages) => {
    // In one process: what none of them loads is not there in the end.
    const script = `const { program } = require('./dist/cli/program');
      void (async () => {
        for (const args of ${JSON.stringify(calls)}) {
          process.argv = [process.execPath, 'main.js', ...args.split(' ')];
          await program();
        }
        process.stderr.write(Object.keys(require.cache).join('\\n'));
      })();`;
    const { code, out, err } = await execute('-e', script);
    expect(code).toBe(0);
    for (const [name = ''] of calls.map((args) => args.split(' ')))
      expect(out).toContain(name === '--version' ? PACKAGE.version : `Usage: ${NAME} ${name}`);
    expect(err).toContain(join('dist', 'cli', 'program.js'));
    expect(err).not.toMatch(new RegExp(`/node_modules/(?:${packages})/`));
  });

  it.each([
    ['an unknown command', ['delivries'], 'Unknown command delivries. Did you mean deliveries?'],
    ['a word that is like a command that deletes', ['format'], 'Unknown command format.\n'],
    [
      'an option of start',
      ['start', '--port'],
      'start takes no arguments, but got --port. Use environment variables',
    ],
  ])('refuses %s, and suggests what to use', async (_what, args, said) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(said);
    expect(err).toContain(`${NAME} --help\n`);
  });

  it('suggests the right option of a command', async () => {
    const { code, err } = await run('forget', '--phon');
    expect(code).toBe(1);
    expect(err).toContain("unknown option '--phon'");
    expect(err).toContain('Did you mean --phone?');
  });

  it.each(['1', '2'])('starts the service with %s processes', async (PROCESSES) => {
    const folder = mkdtempSync(join(tmpdir(), 'program-'));
    const environment = { PROCESSES, PORT: '0', ADMIN_PORT: '0', DATA_DIR: folder };
    const service = new ServerProcess(PROGRAM, { args: ['start'], environment, folder });
    try {
      expect((await service.listening()).port).toBeGreaterThan(0);
    } finally {
      service.signal('SIGKILL');
      await service.ended();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    }
  });
});
