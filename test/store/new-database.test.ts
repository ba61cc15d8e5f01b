import { SMALL_SCHOOL } from '../support/csv-folder';
import { writeCsv } from '../../scripts/harness';
import { makeEarlierDatabase } from '../support/other-versions';
import { ENGINES, useDatabase } from '../support/test-databases';

const SAMPLE = 'scripts/sample-school';

describe.each(ENGINES)('a database on %s', (engine) => {
  const database = useDatabase(engine, { holds: 'nothing' });

  it('is new until the first data is there as a whole, however often it is opened before', async () => {
    await (await database.open()).close(); // Killed after the schema was made.
    const store = await database.open();
    expect(await store.isNew()).toBe(true);
    const report = await store.fillNew(SAMPLE);
    expect(report.files.every(({ outcome }) => outcome === 'loaded')).toBe(true);
    expect(await store.isNew()).toBe(false);
    expect(await (await database.open()).isNew()).toBe(false);
  });

  it('is still new when the first data cannot be loaded', async () => {
    const store = await database.open();
    await expect(store.fillNew('no such folder')).rejects.toThrow('no such folder');
    expect(await store.isNew()).toBe(true);
  });

  it('is filled by several at the same time without harm', async () => {
    const stores = await Promise.all([database.open(), database.open(), database.open()]);
    await Promise.all(stores.map((store) => store.fillNew(SAMPLE)));
    for (const store of stores) {
      expect(await store.isNew()).toBe(false);
      expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
    }
  });

  it('is no longer new when the operator loads data, or wants none', async () => {
    const store = await database.open();
    const folder = writeCsv(`${database.folder}/csv`, SMALL_SCHOOL);
    await store.importFolder(folder, { dryRun: true });
    expect(await store.isNew()).toBe(true);
    await store.importFolder(folder);
    expect(await store.isNew()).toBe(false);
  });

  it('is no longer new when nothing is to be in it', async () => {
    const store = await database.open();
    await store.noLongerNew();
    expect(await store.isNew()).toBe(false);
  });

  it.each([
    ['a school', `insert into schools (base_url, name) values ('http://a.example', 'A')`],
    ['an exam', `insert into exams (id, name) values ('1', 'A')`],
    ['a kind of notes', `insert into note_types (id, name) values ('1', 'A')`],
    [
      'a message',
      `insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at, expires_at, created_at, updated_at)
        values ('1', 'push', 'sent', 'D', '', 1, 0, 0, 0, 0)`,
    ],
  ])('of an earlier version that holds no more than %s is not new', async (_what, statement) => {
    await makeEarlierDatabase(database.url, '0003_whole_phones', [statement]);
    expect(await (await database.open()).isNew()).toBe(false);
  });

  it('of an earlier version that holds nothing is new', async () => {
    await makeEarlierDatabase(database.url, '0003_whole_phones', []);
    const look = database.open({ mustExist: true }); // As the commands do, which change no schema.
    await expect(look).rejects.toMatchObject({ trouble: 'older-schema' });
    await expect(look).rejects.toThrow('it lacks 0004_new_database');
    expect(await (await database.open()).isNew()).toBe(true);
  });
});
