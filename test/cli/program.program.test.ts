import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { childEnvironment, PACKAGE_ROOT, PROGRAM } from '../../scripts/harness';
import { useFolderPerTest } from '../harness/use-folder';

interface Package {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

const PACKAGE = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as Package;
const NAME = 'school-notifications';

interface End {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function execute(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<End> {
  return new Promise((resolve) => {
    const environment = { cwd: PACKAGE_ROOT, env: childEnvironment(settings) };
    const child = execFile(process.execPath, [...args], environment, (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

interface Coverage {
  readonly result: readonly {
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** Returns the modules of the bundle that ran: each is a function with the path of its source as its name. */
function loadedModules(folder: string): readonly string[] {
  return readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage)
    .flatMap(({ result }) => result.flatMap(({ functions }) => functions))
    .filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0)
    .map(({ functionName }) => functionName);
}

describe('the installed program', () => {
  const folder = useFolderPerTest();

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
    [['--version', 'start --help'], 'src/support/program-name.ts', 'kysely|zod|commander|pg'],
    [
      ['import', 'export', 'deliveries', 'forget', 'backup', 'move'].map((name) => `${name} --help`),
      'node_modules/commander/lib/command.js',
      'soap|express|prom-client|undici|pino|yauzl|saxes',
    ],
  ])(
    'shows the options for %j, and does not load what that does not need',
    async (calls, needed, packages) => {
      // In one process: what none of them loads is not there in the end.
      const script = `const { program } = require('./dist/service.js');
      void (async () => {
        for (const args of ${JSON.stringify(calls)}) {
          process.argv = [process.execPath, 'main.js', ...args.split(' ')];
          await program();
        }
      })();`;
      const { code, out } = await execute(['-e', script], { NODE_V8_COVERAGE: folder() });
      expect(code).toBe(0);
      for (const [name = ''] of calls.map((args) => args.split(' ')))
        expect(out).toContain(name === '--version' ? PACKAGE.version : `Usage: ${NAME} ${name}`);
      if (calls.some((args) => args.startsWith('forget')))
        expect(out).toContain(
          '\nExamples:\n  npx school-notifications forget --phone "0555 111 22 33" --dry-run\n',
        );
      const loaded = loadedModules(folder());
      expect(loaded).toContain(needed);
      expect(loaded.filter((name) => new RegExp(`^node_modules/(?:${packages})/`).test(name))).toEqual([]);
    },
  );
});
