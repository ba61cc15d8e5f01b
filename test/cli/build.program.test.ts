import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { childEnvironment, PACKAGE_ROOT } from '../../scripts/harness';
import { useFolderPerTest } from '../harness/use-folder';

/** A command-line program that says what a service says when it is ready. */
const READY = `export function program() { process.stderr.write('Press Ctrl-C to stop\\n'); }`;

describe('a build in a checkout whose service runs', () => {
  const folder = useFolderPerTest();
  const inCheckout = (...names: readonly string[]) => join(folder(), ...names);
  const writeProgram = (source: string) => writeFileSync(inCheckout('src', 'cli', 'index.ts'), source);
  const compiledCode = () => readdirSync(inCheckout('dist')).filter((name) => name.endsWith('.cache'));

  beforeEach(() => {
    for (const name of ['scripts/build.cjs', 'scripts/code-cache.cjs', 'scripts/bundle', 'src/main.ts'])
      cpSync(join(PACKAGE_ROOT, name), inCheckout(name), { recursive: true });
    for (const name of ['cli', 'asmx']) mkdirSync(inCheckout('src', name));
    writeFileSync(inCheckout('src', 'asmx', 'index.ts'), 'export const served = 1;');
    writeProgram(READY);
    symlinkSync(join(PACKAGE_ROOT, 'node_modules'), inCheckout('node_modules'));
  });

  /** Builds; returns the exit code, and whether the program was missing meanwhile. */
  async function build() {
    const child = spawn(process.execPath, ['scripts/build.cjs'], {
      cwd: folder(),
      env: childEnvironment({}),
      stdio: 'ignore',
    });
    let missing = 0;
    const look = () => {
      for (const name of ['main.js', 'service.js']) if (!existsSync(inCheckout('dist', name))) missing += 1;
      looking = setImmediate(look);
    };
    let looking = setImmediate(look);
    const [code] = (await once(child, 'close')) as [number];
    clearImmediate(looking);
    return { code, missing };
  }

  it('leaves no moment without a program, and nothing of a source that is gone', async () => {
    await build();
    writeFileSync(inCheckout('dist', 'asmx', 'gone.d.ts'), '');
    writeProgram(READY.replace('stop', 'end'));
    expect(await build()).toEqual({ code: 0, missing: 0 });
    expect(readFileSync(inCheckout('dist', 'service.js'), 'utf8')).toContain('Press Ctrl-C to end');
    expect(readdirSync(inCheckout('dist', 'asmx')).sort()).toEqual(['index.js', 'index.js.map']);
    expect(compiledCode()).toHaveLength(1);
  });

  it('leaves the last program if a source does not compile', async () => {
    await build();
    const before = readFileSync(inCheckout('dist', 'service.js'), 'utf8');
    writeProgram('export function {');
    expect(await build()).toEqual({ code: 1, missing: 0 });
    expect(readFileSync(inCheckout('dist', 'service.js'), 'utf8')).toBe(before);
  });

  it('never runs compiled code of another program of the same length', async () => {
    await build();
    const [name = ''] = compiledCode();
    const earlier = readFileSync(inCheckout('dist', name));
    writeProgram(READY.replace('stop', 'quit'));
    await build();
    writeFileSync(inCheckout('dist', name), earlier);
    const { stderr } = spawnSync(process.execPath, ['dist/main.js'], {
      cwd: folder(),
      env: childEnvironment({}),
    });
    expect(String(stderr)).toBe('Press Ctrl-C to quit\n');
  });
});
