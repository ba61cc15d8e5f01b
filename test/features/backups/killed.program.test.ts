import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { childEnvironment } from '../../../scripts/harness';
import { backUpDatabase } from '../../../src/features/backups/back-up';
import { openStore } from '../../../src/store';
import { letGoOfClosed } from '../../harness/closed-connections';
import { useDatabase } from '../../harness/test-databases';
import { useFolder } from '../../harness/use-folder';
import { listMessages } from '../../harness/list-messages';

/**
 * Backs up or restores, and kills itself before the step of a number: a change of a file's name, a file that is opened,
 * written to the disk or deleted, or pages that were copied. Prints how many steps there were, if it comes so far.
 */
const CHILD = `
const fs = require('node:fs');
const [feature, mode, url, file, at] = process.argv.slice(1);
const { backUpDatabase } = require(\`\${feature}/back-up\`);
const { restoreDatabase } = require(\`\${feature}/restore\`);
let steps = 0;
const step = () => {
  if (steps++ === Number(at)) process.kill(process.pid, 'SIGKILL');
};
for (const name of ['renameSync', 'linkSync', 'unlinkSync', 'fsyncSync', 'rmSync', 'openSync', 'closeSync']) {
  const call = fs[name];
  fs[name] = (...args) => {
    step();
    return call(...args);
  };
}
const act = mode === 'backup' ? backUpDatabase : restoreDatabase;
act(url, { file, replace: true, onPages: step }).then(() => console.log(steps));
`;
const FEATURE = join(__dirname, '..', '..', '..', 'dist', 'features', 'backups');
type Mode = 'backup' | 'restore';
/** Describes the state of a database: as it was when the backup was made, or as it is now. */
type State = 'before' | 'now';
/** More than there are. */
const NEVER = 10_000;
/** Every step takes a minute and more together; `npm run nightly` tries all, other runs every fifth. */
const STRIDE = process.env['KILL_STEPS'] === 'all' ? 1 : 5;

describe('a command that is killed at any step', () => {
  const database = useDatabase('sqlite', { per: 'block', holds: 'sample school' });
  const folder = useFolder();
  /** Where copies are opened: a connection that is closed may keep its locks until it is collected. */
  const looks = useFolder();
  /** A database, and an earlier state of it as a backup. */
  let [now, before] = [Buffer.alloc(0), Buffer.alloc(0)];
  beforeAll(async () => {
    const file = join(database.folder, 'service.db');
    const kept = join(database.folder, 'kept.db');
    await backUpDatabase(database.url, { file: kept, replace: false, onPages: () => undefined });
    before = readFileSync(kept);
    const store = await openStore({ url: database.url });
    await store.messages.enqueue({
      ...{ channel: 'push', recipient: 'new', school: '', payload: {}, dedupeKey: null },
      ...{ createdAt: 1, expiresAt: 2 },
    });
    await store.close();
    await letGoOfClosed();
    now = readFileSync(file);
  });

  const at = (name: string): string => join(folder, name);
  const url = (name: string): string => `sqlite:${at(name)}`;
  /** As they are before the command. */
  const lay = (): void => {
    for (const name of readdirSync(folder)) rmSync(at(name));
    writeFileSync(at('service.db'), now, { mode: 0o600 });
    writeFileSync(at('kept.db'), before, { mode: 0o600 });
  };

  /** @returns the steps that there were; undefined where it was killed */
  async function run(mode: Mode, step: number): Promise<number | undefined> {
    const args = ['-e', CHILD, FEATURE, mode, url('service.db'), at('kept.db'), String(step)];
    try {
      const env = childEnvironment({});
      return Number((await promisify(execFile)(process.execPath, args, { env })).stdout);
    } catch (error) {
      expect(error).toMatchObject({ signal: 'SIGKILL' });
      return undefined;
    }
  }

  /** Which of the two states a database has; it must be whole, and hold the school. A copy of it is opened. */
  async function stateOf(name: string): Promise<State> {
    const copies = mkdtempSync(join(looks, 'look-'));
    for (const each of readdirSync(folder).filter((each) => each.startsWith(name))) {
      copyFileSync(at(each), join(copies, each));
    }
    const store = await openStore({ url: `sqlite:${join(copies, name)}`, mustExist: true });
    try {
      expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
      return (await listMessages(store, 9)).length === 1 ? 'now' : 'before';
    } finally {
      await store.close();
    }
  }

  /** Kills a command at many of its steps; where that leaves something new, the same command must then succeed. */
  async function killAtEach(
    mode: Mode,
    check: () => Promise<State>,
    result: () => Promise<State>,
  ): Promise<void> {
    lay();
    const steps = (await run(mode, NEVER)) ?? 0;
    const end = await result();
    expect(steps).toBeGreaterThan(5);
    const seen = new Set<string>();
    const states = new Set<State>();
    for (let step = 0; step < steps; step += STRIDE) {
      lay();
      expect(await run(mode, step)).toBeUndefined();
      const state = await check();
      states.add(state);
      const left = `${state} ${readdirSync(folder)
        .join(' ')
        .replaceAll(/[0-9a-f]{12}|\d{8}T\d{6}Z/g, 'x')}`;
      if (seen.has(left)) continue;
      seen.add(left);
      for (const old of oldOnes()) rmSync(at(old)); // It may have been named in this second.
      expect(await run(mode, NEVER)).toBeGreaterThan(5);
      expect(await result()).toBe(end);
    }
    expect(states).toEqual(new Set(['before', 'now']));
  }
  const oldOnes = (): readonly string[] =>
    readdirSync(folder).filter((name) => /^service\.db\.before-\d{8}T\d{6}Z$/.test(name));

  it('leaves the database unchanged, and a complete backup, either the old or the new one', async () => {
    await killAtEach(
      'backup',
      async () => {
        expect(await stateOf('service.db')).toBe('now');
        return stateOf('kept.db');
      },
      () => stateOf('kept.db'),
    );
  });

  it('leaves a complete database in place, and keeps the previous one under one of its names', async () => {
    await killAtEach(
      'restore',
      async () => {
        const state = await stateOf('service.db');
        if (state === 'before') expect(await stateOf(oldOnes()[0] ?? 'no old one')).toBe('now');
        expect(await stateOf('kept.db')).toBe('before');
        return state;
      },
      () => stateOf('service.db'),
    );
  });
});
