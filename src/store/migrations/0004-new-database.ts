import { type Kysely, type Migration, sql } from 'kysely';

/**
 * A row for as long as the database is new: nothing was loaded into it yet, or the loading of the first data did
 * not come to its end. It cannot be told from what there is, since the operator may have taken everything out.
 */
export const newDatabase: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('new_database')
      .addColumn('is_new', 'integer', (column) => column.notNull())
      .execute();
    await sql`insert into new_database select 1
      where not exists (select 1 from schools) and not exists (select 1 from exams)
        and not exists (select 1 from note_types) and not exists (select 1 from messages)`.execute(db);
  },
};
