import { sql } from 'kysely';

import { type Engine, type EngineName, StoreError } from './engine';
import { refuseNewerSchema, type SchemaState, schemaState } from './migrations';

/** What there is to know of a database that can be used. */
export interface StoreInspection {
  /** Name and version of the engine. */
  readonly engine: string;
  readonly schema: SchemaState;
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
    return { engine: `${NAMES[engine.name]} ${rows[0]?.version ?? ''}`, schema };
  });
  // A question to the tables needs some; SQLite's lock for writing needs none.
  const hasTables = inspection.schema.last !== undefined || engine.name === 'postgres';
  await (hasTables ? engine.ping() : engine.write(() => Promise.resolve()));
  return inspection;
}

const MAY_CREATE = sql<{ readonly may: boolean | null }>`
  select has_schema_privilege(current_schema(), 'CREATE') as may`;
