import { join } from 'node:path';

import { writeSchool } from '../../../scripts/harness';
import { Audit } from '../../../src/features/audit/audit';
import type { Store } from '../../../src/store';
import { runCommand } from '../../harness/run-command';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { useServicesHere } from '../../service/use-services-here';

const A = 'http://a.example';

describe.each(ENGINES)('the record of an import on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(join(database.folder, 'first'), SMALL_SCHOOL));
  });
  const run = (args: readonly string[], settings: Readonly<Record<string, string>> = {}) => {
    const { folder, url } = database;
    return runCommand('import', args, { folder, settings: { DATABASE_URL: url, ...settings } });
  };
  const recorded = async () =>
    (await store.repository(Audit).list({}, 9)).map(({ who, action, detail }) => ({ who, action, detail }));

  it('names the command line, and what was undone', async () => {
    const students = [`${A},S1,Changed,Y,1A`, `${A},S9,New,Y,`];
    const next = writeSchool(join(database.folder, 'next'), { students });
    await run([next]);
    await run(['--undo', '--dry-run']);
    await run(['--undo']);
    expect(await recorded()).toEqual([
      { who: 'command line', action: 'import undone', detail: { files: 'students.csv', rows: 2 } },
      {
        ...{ who: 'command line', action: 'import' },
        detail: { folder: next, files: 'students.csv', rows: 2, errors: 0 },
      },
    ]);
  });

  it('names who asked the service for it, and says that nothing was written', async () => {
    const next = writeSchool(join(database.folder, 'next'), { students: [`${A},S9,New,Y,`] });
    await run([next, '--replace'], { AUDIT_WHO: 'service' });
    expect(await recorded()).toEqual([
      {
        ...{ who: 'service', action: 'import' },
        detail: { files: 'students.csv', rows: 0, errors: 0, result: 'refused' },
      },
    ]);
  });
});

describe('the first start', () => {
  const services = useServicesHere();

  it('records the import of the sample school, whose undo is offered', async () => {
    const service = await services.start();
    const { text } = await service.askAdmin({ path: '/audit' });
    expect(text).toMatch(/service<\/td>.*import<\/td>.*schools\.csv/s);
  });
});
