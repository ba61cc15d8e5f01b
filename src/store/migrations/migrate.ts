import { type Migration, Migrator } from 'kysely';

import type { EngineName } from '../engine/schema';
import { type Session, StoreError } from '../engine/engine';
import { initial } from './0001-initial';
import { delivery } from './0002-delivery';
import { wholePhones } from './0003-whole-phones';
import { newDatabase } from './0004-new-database';
import { forgetting } from './0005-forgetting';
import { callers } from './0006-callers';
import { codeTraffic } from './0007-code-traffic';
import { requestsAndAttempts } from './0008-requests-and-attempts';
import { usage } from './0009-usage';
import { findingMessages } from './0010-finding-messages';
import { erasures } from './0011-erasures';
import { fewerIndexes } from './0012-fewer-indexes';
import { figures } from './0013-figures';
import { lighterMessages } from './0014-lighter-messages';
import { studentsInOrder } from './0015-students-in-order';
import { nodes } from './0016-nodes';
import { marks } from './0017-marks';
import { queueUpkeep } from './0018-queue-upkeep';
import { agesApart } from './0019-ages-apart';

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
    '0009_usage': usage(engine),
    '0010_finding_messages': findingMessages(engine),
    '0011_erasures': erasures(engine),
    '0012_fewer_indexes': fewerIndexes,
    '0013_figures': figures(engine),
    '0014_lighter_messages': lighterMessages,
    '0015_students_in_order': studentsInOrder(engine),
    '0016_nodes': nodes(engine),
    '0017_marks': marks(engine),
    '0018_queue_upkeep': queueUpkeep(engine),
    '0019_ages_apart': agesApart,
  };
}

/**
 * Brings the schema to this program's version. Several nodes may do so at once: one does the work under a
 * lock (PostgreSQL: advisory, SQLite: the write lock) while the others wait.
 *
 * @throws StoreError when the schema is newer than this program, or a step fails (then nothing is changed)
 */
export async function migrate(session: Session): Promise<void> {
  const { error } = await migrator(session).migrateToLatest();
  if (error === undefined) return;
  await refuseNewerSchema(session);
  throw error instanceof StoreError
    ? error
    : new StoreError('failed', 'The database schema could not be brought up to date.', error);
}

/** How the schema of a database stands to this program's, by the names of their steps. */
export interface SchemaState {
  /** The last step that the database has; undefined where it holds nothing of this program. */
  readonly last: string | undefined;
  /** Steps that the database lacks. */
  readonly missing: readonly string[];
  /** Steps of the database that this program does not know. */
  readonly unknown: readonly string[];
}

/** Looks at the schema, without changing anything. */
export async function schemaState(session: Session): Promise<SchemaState> {
  const known = Object.keys(migrationsFor(session.engine));
  const done = await executedNames(session);
  return {
    last: done.at(-1),
    missing: known.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !known.includes(name)),
  };
}

/**
 * Checks, without changing anything, that the schema is this program's.
 *
 * @throws StoreError when it is newer, older, or not there
 */
export async function checkSchema(session: Session): Promise<void> {
  await refuseNewerSchema(session);
  const { last, missing } = await schemaState(session);
  const [next] = missing;
  if (next === undefined) return;
  if (last === undefined)
    throw new StoreError('no-schema', 'The database holds nothing of this program yet.');
  throw new StoreError(
    'older-schema',
    `The database schema is older than this program: it lacks ${next}. Starting the service brings it up to date.`,
  );
}

/** @throws StoreError */
export async function refuseNewerSchema(session: Session): Promise<void> {
  const [unknown] = (await schemaState(session)).unknown;
  if (unknown === undefined) return;
  throw new StoreError(
    'newer-schema',
    `The database schema is newer than this program: it has ${unknown}, this program knows up to ` +
      `${Object.keys(migrationsFor(session.engine)).at(-1) ?? 'none'}. Run the newer version of the program.`,
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
