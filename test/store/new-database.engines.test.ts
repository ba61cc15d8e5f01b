import { SMALL_SCHOOL } from '../harness/small-school';
import { writeSchool } from '../../scripts/harness';
import { ENGINES, useDatabase } from '../harness/test-databases';

const SAMPLE = 'scripts/sample-school';

describe.each(ENGINES)('a database on %s', (engine) => {
  const database = useDatabase(engine, { holds: 'nothing' });

  it('is new until its first data is complete, however often it is opened before', async () => {
    await (await database.open()).close(); // Killed after the schema was made.
    const store = await database.open();
    expect(await store.isNew()).toBe(true);
    const report = await store.fillNew(SAMPLE);
    expect(report.files.every(({ outcome }) => outcome === 'loaded')).toBe(true);
    expect(await store.isNew()).toBe(false);
    expect(await (await database.open()).isNew()).toBe(false);
  });

  it('is still new after the first data could not be loaded', async () => {
    const store = await database.open();
    await expect(store.fillNew('no such folder')).rejects.toThrow('no such folder');
    expect(await store.isNew()).toBe(true);
  });

  it('can be filled by several processes at the same time', async () => {
    const stores = await Promise.all([database.open(), database.open(), database.open()]);
    await Promise.all(stores.map((store) => store.fillNew(SAMPLE)));
    for (const store of stores) {
      expect(await store.isNew()).toBe(false);
      expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
    }
  });

  it('is no longer new once the operator loads data', async () => {
    const store = await database.open();
    const folder = writeSchool(`${database.folder}/csv`, SMALL_SCHOOL);
    await store.importFolder(folder, { dryRun: true });
    expect(await store.isNew()).toBe(true);
    await store.importFolder(folder);
    expect(await store.isNew()).toBe(false);
  });

  it('is no longer new once it is declared to stay empty', async () => {
    const store = await database.open();
    await store.noLongerNew();
    expect(await store.isNew()).toBe(false);
  });
});
