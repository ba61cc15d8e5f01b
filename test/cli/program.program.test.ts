import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { childEnvironment, packageRoot, PROGRAM } from '../../scripts/harness';

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

function execute(...args: readonly string[]): Promise<End> {
  return new Promise((resolve) => {
    const environment = { cwd: packageRoot(), env: childEnvironment({}) };
    const child = execFile(process.execPath, [...args], environment, (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

describe('the installed program', () => {
  it('is the package’s program', () => {
    expect(PACKAGE.bin).toEqual({ [NAME]: 'dist/main.js' });
  });

  it('completes its work when the reader of its output goes away, as with `| head`', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'gateways', 'presets'], { env: childEnvironment({}) });
    child.stdout.destroy();
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it.each([
    [['--version', 'start --help'], 'kysely|zod|commander|pg'],
    [
      ['import', 'export', 'deliveries', 'forget', 'backup', 'move'].map((name) => `${name} --help`),
      'soap|express|prom-client|undici|pino|yauzl|saxes',
    ],
  ])('shows the options for %j, and does not load what that does not need', async (calls, packages) => {
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
    if (calls.some((args) => args.startsWith('forget')))
      expect(out).toContain(
        '\nExamples:\n  npx school-notifications forget --phone "0555 111 22 33" --dry-run\n',
      );
    expect(err).toContain(join('dist', 'cli', 'program.js'));
    expect(err).not.toMatch(new RegExp(`/node_modules/(?:${packages})/`));
  });
});
