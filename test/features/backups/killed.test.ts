import { createHash } from 'node:crypto';
import fs, { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { backUpDatabase } from '../../../src/features/backups/back-up';
import { restoreDatabase } from '../../../src/features/backups/restore';
import { openStore } from '../../../src/store';
import { letGoOfClosed } from '../../harness/closed-connections';
import { listMessages } from '../../harness/list-messages';
import { useDatabase } from '../../harness/test-databases';
import { useFolder } from '../../harness/use-folder';

/** Before each of these calls, and after each page that is copied, the process could be killed. */
const STEPS = [
  'renameSync',
  'linkSync',
  'unlinkSync',
  'fsyncSync',
  'rmSync',
  'openSync',
  'closeSync',
] as const;
const COMMANDS = { backup: backUpDatabase, restore: restoreDatabase } as const;
type Mode = keyof typeof COMMANDS;
/** Describes the state of a database: as it was when the backup was made, or as it is now. */
type State = 'before' | 'now';

// A process that is killed leaves its files as they are at that moment: what it wrote stays, its locks do not. So the
// command runs once, and its files are copied at each step: that is what each kill would leave.
describe('a command that is killed at any step', () => {
  const database = useDatabase('sqlite', { per: 'block', holds: 'sample school' });
  const folder = useFolder();
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
    await letGoOfClosed(database.folder);
    now = readFileSync(file);
  });

  let copies = 0;
  function newFolder(): string {
    copies += 1;
    const path = join(folder, String(copies));
    mkdirSync(path);
    return path;
  }

  /** Copies files to a new folder. */
  function copyOf(from: string, names: readonly string[] = readdirSync(from)): string {
    const to = newFolder();
    for (const name of names) copyFileSync(join(from, name), join(to, name));
    return to;
  }

  /** Runs a command in a folder; `onStep` is called before each step. */
  async function run(mode: Mode, within: string, onStep: () => void): Promise<void> {
    const originals = STEPS.map((name) => [name, fs[name] as (...args: unknown[]) => unknown] as const);
    let isCopying = false;
    const step = (): void => {
      if (isCopying) return;
      isCopying = true;
      onStep();
      isCopying = false;
    };
    const stepping = originals.map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        step();
        return call(...args);
      },
    ]);
    Object.assign(fs, Object.fromEntries(stepping));
    try {
      const options = { file: join(within, 'kept.db'), replace: true, onPages: step };
      await COMMANDS[mode](`sqlite:${join(within, 'service.db')}`, options);
    } finally {
      Object.assign(fs, Object.fromEntries(originals));
    }
    await letGoOfClosed(within);
  }

  /** Which of the two states a database has; it must be whole, and hold the school. A copy of it is opened. */
  async function stateOf(within: string, name: string): Promise<State> {
    const names = readdirSync(within).filter((each) => each.startsWith(name));
    const copy = copyOf(within, names);
    const store = await openStore({ url: `sqlite:${join(copy, name)}`, mustExist: true });
    try {
      expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
      return (await listMessages(store, 9)).length === 1 ? 'now' : 'before';
    } finally {
      await store.close();
    }
  }

  const oldOnes = (within: string): readonly string[] =>
    readdirSync(within).filter((name) => /^service\.db\.before-\d{8}T\d{6}Z$/.test(name));

  /** Checks what each kill would leave; the same command must then succeed. */
  async function killAtEach(
    mode: Mode,
    check: (within: string) => Promise<State>,
    result: (within: string) => Promise<State>,
  ): Promise<void> {
    const within = newFolder();
    writeFileSync(join(within, 'service.db'), now, { mode: 0o600 });
    writeFileSync(join(within, 'kept.db'), before, { mode: 0o600 });
    let steps = 0;
    const left = new Map<string, string>();
    await run(mode, within, () => {
      steps += 1;
      const files = contentOf(within);
      if (!left.has(files)) left.set(files, copyOf(within));
    });
    const end = await result(within);
    expect(steps).toBeGreaterThan(left.size);
    expect(left.size).toBeGreaterThan(4);
    const states = new Set<State>();
    for (const each of left.values()) {
      states.add(await check(each));
      for (const old of oldOnes(each)) fs.rmSync(join(each, old)); // It may have been named in this second.
      await run(mode, each, () => undefined);
      expect(await result(each)).toBe(end);
    }
    expect(states).toEqual(new Set(['before', 'now']));
  }

  it('leaves the database unchanged, and a complete backup, either the old or the new one', async () => {
    await killAtEach(
      'backup',
      async (within) => {
        expect(await stateOf(within, 'service.db')).toBe('now');
        return stateOf(within, 'kept.db');
      },
      (within) => stateOf(within, 'kept.db'),
    );
  });

  it('leaves a complete database in place, and keeps the previous one under one of its names', async () => {
    await killAtEach(
      'restore',
      async (within) => {
        const state = await stateOf(within, 'service.db');
        if (state === 'before') expect(await stateOf(within, oldOnes(within)[0] ?? 'no old one')).toBe('now');
        expect(await stateOf(within, 'kept.db')).toBe('before');
        return state;
      },
      (within) => stateOf(within, 'service.db'),
    );
  });
});

/** Returns a text that is the same for the same names and contents; unfinished files have names of chance. */
function contentOf(within: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(within).toSorted()) {
    hash.update(name.replaceAll(/[0-9a-f]{12}|\d{8}T\d{6}Z/g, 'x')).update(readFileSync(join(within, name)));
  }
  return hash.digest('hex');
}
