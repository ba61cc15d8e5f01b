import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { query } from '../../support/postgres-databases';
import type { EngineName, TestDatabase } from '../../support/test-databases';

/*
 * Databases as programs of earlier versions left them, in which nothing is ever changed: the steps of the schema are
 * tried on them, and not on what the steps of today would have made. `.sql` is what `pg_dump --inserts --no-owner
 * --no-privileges` wrote, without comments and blank lines.
 *
 * 0007: made by the program's own import, send policy and worker, the last one of which was killed while it sent a code.
 *
 * 0016: by the program of commit 7b0f58e. `import` of a school; the service with ACCESS_FILE, and with a gateway and a
 * Firebase that stood in for the real ones; calls of AuthCode and SendMarkNotes over GET. The gateway took codes, refused
 * one (400), failed with one (503) and left one without an answer; Firebase called one token dead and failed with one. 30
 * codes to one area had it held. After more than a minute, for the figures, the service was killed while it sent the code
 * without an answer, and `forget --student` took a student out.
 */

/** Schemas of which the program of that time has left a database here. */
export type ReleasedSchema = '0007' | '0016';

/** Puts a database as a program of that schema left it in the place of an empty one. */
export async function putReleased(
  schema: ReleasedSchema,
  engine: EngineName,
  { folder, url }: TestDatabase,
): Promise<void> {
  const released = (ending: string): string => join(__dirname, `schema-${schema}.${ending}`);
  if (engine === 'sqlite') copyFileSync(released('db'), join(folder, 'service.db'));
  else await query(url, readFileSync(released('sql'), 'utf8'));
}
