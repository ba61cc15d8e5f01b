import { sql } from 'kysely';

import { type Engine, type EngineName, StoreError } from './engine';
import { type LastBackup, lastBackup, refuseMoved } from './keeping';
import { refuseNewerSchema, type SchemaState, schemaState } from './migrations';

/** What there is to know of a database that can be used. */
export interface StoreInspection {
  /** Name and version of the engine. */
  readonly engine: string;
  readonly schema: SchemaState;
  /** The last one that this program made; undefined where there is none. */
  readonly lastBackup: LastBackup | undefined;
  /** When PostgreSQL put away the last part of its log; undefined where it keeps none, or has put away none. */
  readonly archivedAt: number | undefined;
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const satisfies Record<EngineName, string>;
const VERSIONS = {
  sqlite: sql<{ readonly version: string }>`select sqlite_version() as version`,
  postgres: sql<{ readonly version: string }>`select current_setting('server_version') as version`,
} as const satisfies Record<EngineName, unknown>;

/**
 * Looks at a database, and changes nothing.
 *
 * @throws StoreError where this program cannot work with it: it is newer, or takes no writes
 */
export async function inspectEngine(engine: Engine): Promise<StoreInspection> {
  const inspection = await engine.session(async (session) => {
    await refuseNewerSchema(session);
    const { rows } = await VERSIONS[engine.name].execute(session.kysely);
    const schema = await schemaState(session);
    if (schema.missing.length > 0 && engine.name === 'postgres') {
      const { rows: granted } = await MAY_CREATE.execute(session.kysely);
      if (granted[0]?.may !== true) {
        throw new StoreError(
          'read-only',
          'The user of the database may not make tables: grant it CREATE on the schema.',
        );
      }
    }
    if (schema.missing.length === 0) await refuseMoved(session);
    const archived = engine.name === 'postgres' ? await ARCHIVED.execute(session.kysely) : undefined;
    return {
      engine: `${NAMES[engine.name]} ${rows[0]?.version ?? ''}`,
      schema,
      lastBackup: schema.missing.length === 0 ? await lastBackup(session) : undefined,
      archivedAt: archived?.rows[0]?.at ?? undefined,
    };
  });
  // A question to the tables needs some; SQLite's lock for writing needs none.
  const hasTables = inspection.schema.last !== undefined || engine.name === 'postgres';
  await (hasTables ? engine.ping() : engine.write(() => Promise.resolve()));
  return inspection;
}

const MAY_CREATE = sql<{ readonly may: boolean | null }>`
  select has_schema_privilege(current_schema(), 'CREATE') as may`;

const ARCHIVED = sql<{ readonly at: number | null }>`
  select floor(extract(epoch from last_archived_time) * 1000)::bigint as at from pg_stat_archiver`;
