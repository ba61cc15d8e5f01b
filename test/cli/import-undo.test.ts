import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { writeSchool } from '../../scripts/harness';
import type { Store } from '../../src/store';
import { runCommand } from '../harness/run-command';
import { SMALL_SCHOOL } from '../harness/small-school';
import { ENGINES, useDatabase } from '../harness/test-databases';

const A = 'http://a.example';

describe.each(ENGINES)('import --undo on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(join(database.folder, 'first'), SMALL_SCHOOL));
  });
  const run = (...args: readonly string[]) => {
    const { folder, url } = database;
    return runCommand('import', args, { folder, settings: { DATABASE_URL: url } });
  };
  const students = async () => {
    // All reads of a turn see one state, also of what a command in this process has written meanwhile.
    await nextTurn();
    return (await store.students.ofSchool(A, 'Y')).map(({ id, fullName }) => `${id} ${fullName}`);
  };

  it('brings the rows back that the last import changed, once', async () => {
    const before = await students();
    const folder = writeSchool(join(database.folder, 'next'), {
      students: [`${A},S1,Changed,Y,1A`, `${A},S9,New,Y,`],
    });
    await expect(run(folder)).resolves.toMatchObject({ code: 0 });
    const dry = await run('--undo', '--dry-run');
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out.split('\n').slice(1)).toEqual([
      'students.csv: 1 new to delete, 1 to change back, 0 to bring back',
      'Dry run: nothing was written.',
      '',
    ]);
    expect(await students()).not.toEqual(before);
    const { code, out } = await run('--undo');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Import of \d{4}-.+Z\nstudents\.csv: 1 new deleted, 1 changed back, 0 brought back\n$/,
    );
    expect(await students()).toEqual(before);
    await expect(run('--undo')).resolves.toMatchObject({
      code: 1,
      err: 'Error: There is no import to undo.\n',
    });
    await expect(run('--undo', '--dry-run')).resolves.toMatchObject({ code: 1 });
  });

  it('refuses an import without a folder', async () => {
    const { code, err } = await run('--dry-run');
    expect(code).toBeGreaterThan(0);
    expect(err).toContain("missing required argument 'folder'");
  });
});
