import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** Adds the table of what the last import changed. */
export function importUndo(engine: EngineName): Migration {
  const { text } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`create table import_undo (
        position integer not null primary key, file ${text} not null, change ${text} not null,
        row_key ${text} not null, old_row ${text})`.execute(db);
    },
  };
}
