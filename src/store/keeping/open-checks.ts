import { sql } from 'kysely';

import { type Connection, StoreError } from '../engine/engine';
import { readMark, setMark } from './marks';

/** @throws StoreError if the database's content was moved to another database */
export async function refuseMoved({ kysely }: Pick<Connection, 'kysely'>): Promise<void> {
  const mark = await readMark(kysely, 'moved');
  if (mark === undefined) return;
  throw new StoreError(
    'moved',
    `The database was moved to ${mark.detail} on ${new Date(mark.at).toISOString().slice(0, 10)}. Set DATABASE_URL to ` +
      'the new one. To use this one again, run move --undo.',
  );
}

/** Selects a row if anything is stored whose ids were brought into the form in which they are compared. */
const KEYED = sql`select 1 from schools union all select 1 from exams union all select 1 from note_types
  union all select 1 from messages where channel = 'mark' and state = 'queued' limit 1`;

/**
 * Compares the collation of ids with that of the stored data.
 *
 * @param name - empty for an exact comparison
 * @param mayRecord - true to record it as long as there is no data
 * @throws StoreError if the data was loaded with another one
 */
export async function checkCollation(
  { kysely }: Pick<Connection, 'kysely'>,
  name: string,
  mayRecord: boolean,
): Promise<void> {
  const stored = (await readMark(kysely, 'collation'))?.detail ?? '';
  if (stored === name) return;
  const { rows } = await KEYED.execute(kysely);
  if (rows.length > 0) {
    throw new StoreError(
      'conflict',
      `The data was loaded with KEY_COLLATION=${stored}. Set it back to that, or use a new database: with it set to ` +
        `${name === '' ? 'nothing' : name}, stored ids would not be found.`,
    );
  }
  if (mayRecord) await setMark(kysely, 'collation', { at: Date.now(), detail: name });
}
