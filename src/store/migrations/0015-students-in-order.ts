import { type Kysely, type Migration, sql } from 'kysely';

import type { EngineName } from '../engine/schema';

/**
 * On SQLite the students of a school are read from an index alone: to look for each of their rows cost more than to put
 * them into one text. PostgreSQL would look into the table all the same, and takes no long names into an index.
 */
export function studentsInOrder(engine: EngineName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      if (engine !== 'sqlite') return;
      await db.schema.dropIndex('students_by_flag').execute();
      await sql`create index students_by_flag on students (school_id, show_active, id, full_name, device_id)`.execute(
        db,
      );
    },
  };
}
