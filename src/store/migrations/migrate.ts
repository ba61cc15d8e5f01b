import { type Migration, Migrator } from 'kysely';

import { type Engine, type EngineName, type Session, StoreError } from '../engine';
import { initial } from './0001-initial';
import { delivery } from './0002-delivery';
import { wholePhones } from './0003-whole-phones';
import { newDatabase } from './0004-new-database';
import { forgetting } from './0005-forgetting';
import { callers } from './0006-callers';
import { codeTraffic } from './0007-code-traffic';
import { requestsAndAttempts } from './0008-requests-and-attempts';

/** Every step of the schema, in order. A step that was released is never changed: what follows is a new one. */
export function migrationsFor(engine: EngineName): Readonly<Record<string, Migration>> {
  return {
    '0001_initial': initial(engine),
    '0002_delivery': delivery(engine),
    '0003_whole_phones': wholePhones,
    '0004_new_database': newDatabase,
    '0005_forgetting': forgetting,
    '0006_callers': callers(engine),
    '0007_code_traffic': codeTraffic(engine),
    '0008_requests_and_attempts': requestsAndAttempts(engine),
  };
}

/**
 * Brings the schema to this program's version. Several nodes may do so at once: one does the work under a
 * lock (PostgreSQL: advisory, SQLite: the write lock) while the others wait.
 *
 * @throws StoreError when the schema is newer than this program, or a step fails (then nothing is changed)
 */
export function migrate(engine: Engine): Promise<void> {
  return engine.session(async (session) => {
    const { error } = await migrator(session).migrateToLatest();
    if (error === undefined) return;
    await refuseNewerSchema(session);
    throw error instanceof StoreError
      ? error
      : new StoreError('failed', 'The database schema could not be brought up to date.', error);
  });
}

/**
 * Checks, without changing anything, that the schema is this program's.
 *
 * @throws StoreError when it is newer, older, or not there
 */
export function checkSchema(engine: Engine): Promise<void> {
  return engine.session(async (session) => {
    await refuseNewerSchema(session);
    const done = await executedNames(session);
    const missing = Object.keys(migrationsFor(engine.name)).find((name) => !done.includes(name));
    if (missing === undefined) return;
    if (done.length === 0)
      throw new StoreError('no-schema', 'The database holds nothing of this program yet.');
    throw new StoreError(
      'older-schema',
      `The database schema is older than this program: it lacks ${missing}. Starting the service brings it up to date.`,
    );
  });
}

async function refuseNewerSchema(session: Session): Promise<void> {
  const known = Object.keys(migrationsFor(session.engine));
  const unknown = (await executedNames(session)).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new StoreError(
    'newer-schema',
    `The database schema is newer than this program: it has ${unknown}, this program knows up to ` +
      `${known.at(-1) ?? 'none'}. Run the newer version of the program.`,
  );
}

async function executedNames(session: Session): Promise<readonly string[]> {
  const tables = await session.kysely.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const rows = await session.kysely
    .withTables<{ kysely_migration: { readonly name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

function migrator(session: Session): Migrator {
  const migrations = migrationsFor(session.engine);
  return new Migrator({
    db: session.kysely,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
}
