import { type Migration, Migrator, sql } from 'kysely';

import type { EngineName } from '../engine/schema';
import { type DatabaseSession, StoreError } from '../engine/engine';
import { initial } from './0001-initial';
import { importUndo } from './0002-import-undo';
import { receiptExact } from './0003-receipt-exact';

/** All schema steps by name, in order. Once released, a step never changes: further changes are new steps. */
export const MIGRATIONS: Readonly<Record<string, (engine: EngineName) => Migration>> = {
  '0001_initial': initial,
  '0002_import_undo': importUndo,
  '0003_receipt_exact': receiptExact,
};

/**
 * Upgrades the schema to this program's version. Several nodes may do so at once: one works under a lock
 * (PostgreSQL: advisory, SQLite: the write lock) while the others wait.
 *
 * @throws StoreError when the schema is newer than this program, or a step fails (then nothing is changed)
 */
export async function migrate(session: DatabaseSession): Promise<void> {
  const { missing } = await refuseNewerSchema(session);
  if (missing.length === 0) return;
  const { error } = await migrator(session).migrateToLatest();
  if (error === undefined) return;
  // A newer program may have been quicker.
  await refuseNewerSchema(session);
  throw error instanceof StoreError
    ? error
    : new StoreError('failed', 'Cannot upgrade the database schema.', error);
}

/** Difference between a database's schema and this program's, by the names of their steps. */
export interface SchemaState {
  /** Last step that the database has; undefined if it contains nothing from this program. */
  readonly last: string | undefined;
  readonly missing: readonly string[];
  /** Steps in the database unknown to this program. */
  readonly unknown: readonly string[];
}

/** Compares the schema, without changing anything. */
export async function schemaState(session: DatabaseSession): Promise<SchemaState> {
  const known = Object.keys(MIGRATIONS);
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
 * @throws StoreError when it is newer, older, or missing
 */
export async function checkSchema(session: DatabaseSession): Promise<void> {
  const { last, missing } = await refuseNewerSchema(session);
  const [next] = missing;
  if (next === undefined) return;
  if (last === undefined)
    throw new StoreError('no-schema', 'The database is not set up yet. Starting the service sets it up.');
  throw new StoreError(
    'older-schema',
    `The database schema is older than this program (missing: ${next}). Starting the service upgrades it.`,
  );
}

/**
 * Compares the schema, without changing anything.
 *
 * @throws StoreError if it is newer than this program
 */
export async function refuseNewerSchema(session: DatabaseSession): Promise<SchemaState> {
  const state = await schemaState(session);
  const [unknown] = state.unknown;
  if (unknown === undefined) return state;
  throw new StoreError(
    'newer-schema',
    `The database schema is newer than this program: ${unknown} instead of ` +
      `${Object.keys(MIGRATIONS).at(-1) ?? 'none'}. Use a newer version of the program.`,
  );
}

/** Finds the table in which kysely records the steps; its own way reads the columns of all tables. */
const RECORDS = {
  sqlite: sql`select 1 from sqlite_schema where name = 'kysely_migration'`,
  postgres: sql`select 1 where to_regclass('kysely_migration') is not null`,
} as const satisfies Record<EngineName, unknown>;

async function executedNames(session: DatabaseSession): Promise<readonly string[]> {
  const { rows: records } = await RECORDS[session.engine].execute(session.kysely);
  if (records.length === 0) return [];
  const rows = await session.kysely
    .withTables<{ kysely_migration: { readonly name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

function migrator(session: DatabaseSession): Migrator {
  const migrations = Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, migration]) => [name, migration(session.engine)]),
  );
  return new Migrator({
    db: session.kysely,
    provider: { getMigrations: () => Promise.resolve(migrations) },
  });
}
