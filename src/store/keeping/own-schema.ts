import { sql } from 'kysely';

import type { Session } from '../engine/engine';
import { migrate } from '../migrations/migrate';
import { onSqlite } from '../sqlite/sqlite-session';
import { KeepingError } from './backup';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** As SQLite keeps it: the text of the statement that made it. */
  readonly sql: string | null;
}

/** Left out is what SQLite makes by itself. */
const OBJECTS = sql<SchemaObject>`select type, name, sql from sqlite_schema
  where name not like 'sqlite~_%' escape '~' order by type, name`;

/**
 * Refuses a database of this program's version whose schema is not the one that the program makes. A trigger or a view
 * that an attacker added could change or hide rows.
 *
 * @throws KeepingError
 */
export async function refuseForeignSchema(session: Session, file: string): Promise<void> {
  const own = await onSqlite(':memory:', async (fresh) => {
    await migrate(fresh);
    return objectsOf(fresh);
  });
  const found = await objectsOf(session);
  const key = ({ type, name }: SchemaObject): string => `${type} "${name}"`;
  const ownTexts = new Map(own.map((each) => [key(each), each.sql]));
  const names = new Set(found.map(key));
  const extra = found.find((each) => !ownTexts.has(key(each)));
  if (extra !== undefined) throw foreign(file, `it has the ${key(extra)}`);
  const missing = own.find((each) => !names.has(key(each)));
  if (missing !== undefined) throw foreign(file, `it lacks the ${key(missing)}`);
  const changed = found.find((each) => ownTexts.get(key(each)) !== each.sql);
  if (changed !== undefined) throw foreign(file, `its ${key(changed)} was changed`);
}

async function objectsOf({ kysely }: Session): Promise<readonly SchemaObject[]> {
  return (await OBJECTS.execute(kysely)).rows;
}

function foreign(file: string, difference: string): KeepingError {
  return new KeepingError(
    `${file} cannot be restored: its schema is not this program's, ${difference}. Use a backup that nobody changed.`,
  );
}
