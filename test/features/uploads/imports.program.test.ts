// The process in which the console imports: the compiled program, its channel and its streams.

import { childEnvironment, PROGRAM } from '../../../scripts/harness';
import { loadConfig } from '../../../src/config';
import { FEATURE_ACTION_LOG } from '../../../src/features/feature';
import { type ConsoleImportsOptions, importRunner } from '../../../src/features/uploads/imports';
import { importsIn, SCHOOL, school, useUploads } from './import-page';
import { cellsOf, type UsedConsole } from '../../admin/console/use-console';

// Each check and each import is a process of its own, which inherits this.
Object.assign(process.env, childEnvironment({}));

describe('the process of an import in the console', () => {
  const run: ConsoleImportsOptions['run'] = (args, options) =>
    importRunner(loadConfig({ DATABASE_URL: console.database.url }), PROGRAM)(args, options);
  const console: UsedConsole = useUploads('sqlite', { run });
  const { upload, until, press } = importsIn(console);

  it('reports what it checked and loaded, and is recorded with who imported', async () => {
    await upload(school([`${SCHOOL},S1,Name,Y,`, `${SCHOOL},S2,Name,E,`]));
    expect(cellsOf(await until('uploaded these files'), 'Files')[2]).toContain('checked');
    expect(await console.store.schools.of(SCHOOL)).toBeUndefined();
    await press('confirm');
    expect(cellsOf(await until('imported these files'), 'Files')[2]).toContain('loaded');
    expect((await console.store.schools.of(SCHOOL))?.students).toBe(2);
    if (FEATURE_ACTION_LOG === undefined) return;
    expect(await FEATURE_ACTION_LOG.list(console.store, 'import', 1)).toMatchObject([{ who: 'ayse' }]);
  });
});
