import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { listCommands, program } from '../../src/cli/program';
import { runCommand } from '../harness/run-command';

const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const NAME = 'school-notifications';

const exitCode = (): number => Number(process.exitCode ?? 0);

/** Calls the program in this process, for what neither starts the service nor runs a command. */
async function run(...args: readonly string[]) {
  const { argv } = process;
  const texts = { out: '', err: '' };
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    texts.out += String(text);
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    texts.err += String(text);
    return true;
  });
  process.argv = [process.execPath, 'main.js', ...args];
  process.exitCode = undefined;
  try {
    await program();
    return { code: exitCode(), ...texts };
  } finally {
    process.argv = argv;
    process.exitCode = undefined;
    jest.restoreAllMocks();
  }
}

describe('the program', () => {
  it.each(['--version', '-V'])('prints its version for %s', async (option) => {
    expect(await run(option)).toEqual({ code: 0, out: `${version}\n`, err: '' });
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

  it('shows how the service is started', async () => {
    const { out } = await run('start', '--help');
    expect(out).toMatch(new RegExp(`^Usage: ${NAME} start\\n`));
    expect(out).toContain('\nExamples:\n  npx school-notifications start\n');
  });

  it('finds the file of each command', async () => {
    for (const [name, { load }] of Object.entries(await listCommands()))
      expect((await load())(process).name()).toBe(name);
  });

  it('suggests the right option of a command', async () => {
    const { code, err } = await runCommand('forget', ['--phon'], { folder: PACKAGE_ROOT });
    expect(code).toBe(1);
    expect(err).toContain("unknown option '--phon'");
    expect(err).toContain('Did you mean --phone?');
  });

  it('has examples of every command', async () => {
    for (const { examples } of Object.values(await listCommands()))
      expect(examples.length).toBeGreaterThan(0);
  });

  it.each([
    ['an unknown command', ['delivries'], 'Unknown command delivries. Did you mean deliveries?'],
    ['a word that is like a command that deletes', ['format'], 'Unknown command format.\n'],
    ['an argument of --version', ['--version', 'x'], '--version takes no arguments, but got x.'],
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
});
