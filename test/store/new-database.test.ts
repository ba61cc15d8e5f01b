import { sql } from 'kysely';

import type { NewMessage, Store } from '../../src/store';
import { openEngine } from '../../src/store/open-engine';
import { SMALL_SCHOOL } from '../support/csv-folder';
import { writeCsv } from '../../scripts/harness';
import { ENGINES, useDatabase } from '../support/test-databases';

const SAMPLE = 'scripts/sample-school';

const MESSAGE: NewMessage = {
  ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' }, dedupeKey: null },
  ...{ createdAt: 0, expiresAt: 0 },
};

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

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ['a school', loaded('schools.csv')],
    ['an exam', loaded('exams.csv')],
    ['a kind of notes', loaded('note_types.csv')],
    ['a message', (store) => store.messages.enqueue(MESSAGE)],
  ])('of an earlier version that holds no more than %s is not new', async (_what, fill) => {
    const before = await database.open();
    await fill(before);
    await before.close();
    await takeBackToVersion3(database.url);
    expect(await (await database.open()).isNew()).toBe(false);
  });

  it('of an earlier version that holds nothing is new', async () => {
    await (await database.open()).close();
    await takeBackToVersion3(database.url);
    const look = database.open({ mustExist: true }); // As the commands do, which change no schema.
    await expect(look).rejects.toMatchObject({ trouble: 'older-schema' });
    await expect(look).rejects.toThrow('it lacks 0004_new_database');
    expect(await (await database.open()).isNew()).toBe(true);
  });

  function loaded(file: string) {
    return (store: Store) =>
      store.importFolder(writeCsv(`${database.folder}/csv`, { [file]: SMALL_SCHOOL[file] ?? [] }));
  }
});

/** Undoes the step that tells a new database, and what later steps made. */
async function takeBackToVersion3(url: string): Promise<void> {
  const engine = openEngine({ url });
  await engine.session(async ({ kysely }) => {
    await sql`drop table new_database`.execute(kysely);
    const indexes = ['messages_with_code', 'messages_with_digest', 'messages_with_request_key'];
    for (const index of [...indexes, 'messages_by_phone_end', 'messages_by_area']) {
      await sql`drop index ${sql.ref(index)}`.execute(kysely);
    }
    for (const column of ['caller', 'area']) {
      await sql`alter table messages drop column ${sql.ref(column)}`.execute(kysely);
    }
    for (const table of ['caller_codes', 'code_traffic', 'held_areas']) {
      await sql`drop table ${sql.ref(table)}`.execute(kysely);
    }
    await sql`create table daily_codes (day integer primary key, codes integer not null)`.execute(kysely);
    await sql`create index messages_by_recipient on messages (recipient, created_at)`.execute(kysely);
    await sql`delete from kysely_migration where name >= '0004_new_database'`.execute(kysely);
  });
  await engine.close();
}
