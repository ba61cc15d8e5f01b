import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { childEnvironment, PACKAGE_ROOT, PROGRAM } from '../../scripts/harness';
import { loadedModules } from '../harness/loaded-modules';
import { useFolderPerTest } from '../harness/use-folder';

interface Package {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

const PACKAGE = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as Package;
const NAME = 'school-notifications';
/** Name of the file of compiled code beside the program, for this Node.js. */
const CODE_CACHE = `service-${process.version}-${process.platform}-${process.arch}.cache`;

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

  it('is in ASCII, as which it is read', () => {
    const bundle = readFileSync(join(PACKAGE_ROOT, 'dist', 'service.js'));
    expect(bundle.length).toBeGreaterThan(1e6);
    expect(bundle.findIndex((byte) => byte > 0x7f)).toBe(-1);
  });

  it('has what V8 compiled of it, which this V8 accepts', async () => {
    const script = `const { CODE_CACHE, compileBundle } = require('./dist/main.js');
      console.log(compileBundle(fs.readFileSync(CODE_CACHE)).cachedDataRejected);`;
    expect(await execute(['-e', script], {})).toEqual({ code: 0, out: 'false\n', err: '' });
  });

  it.each([
    ['without that', undefined],
    ['with that of another V8', 'unknown to this V8'],
  ])('runs %s as well', async (_how, compiled) => {
    const dist = join(folder(), 'dist');
    mkdirSync(dist);
    copyFileSync(join(PACKAGE_ROOT, 'package.json'), join(folder(), 'package.json'));
    for (const name of ['main.js', 'service.js'])
      copyFileSync(join(PACKAGE_ROOT, 'dist', name), join(dist, name));
    if (compiled !== undefined) writeFileSync(join(dist, CODE_CACHE), compiled);
    const { code, out } = await execute([join(dist, 'main.js'), '--version'], {});
    expect({ code, out }).toEqual({ code: 0, out: `${PACKAGE.version}\n` });
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
