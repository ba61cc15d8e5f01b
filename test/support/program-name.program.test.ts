import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { makeRunFolder, packageRoot } from '../../scripts/harness';
import { readVersion } from '../../src/support/program-name';

const PATH = process.env['PATH'] ?? '';
const NAME = 'school-notifications';
const folder = makeRunFolder('program-name');
const bin = join(folder.path, 'node_modules', '.bin');
const main = join(folder.path, 'node_modules', NAME, 'dist', 'main.js');

/** Returns what a command line writes in a shell. */
function shell(line: string, cwd: string, path = PATH): string {
  // npx must find the program here, without asking a registry.
  const env = { PATH: path, npm_config_offline: 'true', npm_config_cache: join(folder.path, 'npm') };
  return execFileSync('/bin/sh', ['-c', line], { cwd, env, encoding: 'utf8' });
}

/** Returns the name of the program in what it prints when it is started by this command line. */
function printedName(line: string, cwd: string, path = PATH): string {
  const [, name = ''] =
    /^For the options of a command: (.+) deliveries --help$/m.exec(shell(`${line} --help`, cwd, path)) ?? [];
  return name;
}

// As npm installs the package.
beforeAll(() => {
  cpSync(join(packageRoot(), 'dist'), join(main, '..'), { recursive: true });
  cpSync(join(packageRoot(), 'package.json'), join(main, '..', '..', 'package.json'));
  chmodSync(main, 0o755);
  mkdirSync(bin);
  symlinkSync(main, join(bin, NAME));
});
afterAll(() => {
  folder.remove();
});

describe('the program’s own name in its messages', () => {
  it('works in a checkout', () => {
    const name = printedName('node dist/main.js', packageRoot());
    expect(name).toBe(`npx ${NAME}`);
    expect(shell(`${name} --version`, packageRoot())).toBe(`${readVersion()}\n`);
  });

  it('is its plain name if that is on the PATH', () => {
    const onPath = join(folder.path, 'usr-local-bin');
    mkdirSync(onPath);
    symlinkSync(join(bin, NAME), join(onPath, NAME));
    expect(printedName(join(bin, NAME), folder.path, `${onPath}:${PATH}`)).toBe(NAME);
  });

  it.each([
    ['by its path', join(bin, NAME), PATH],
    ['by npx', NAME, `${bin}:${PATH}`],
    ['by Node', `node ${main}`, PATH],
  ])('works anywhere if it was started %s', (_how, line, path) => {
    const name = printedName(line, folder.path, path);
    expect(name).toContain(folder.path);
    expect(shell(`${name} --version`, '/')).toBe(`${readVersion()}\n`);
  });
});
