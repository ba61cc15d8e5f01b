import type { Kysely } from 'kysely';

import type { Database } from '../engine/schema';

/** Scheduled work that takes turns. */
export type TurnName = 'backup' | 'import';

/** Names of the database's own records about itself. */
type MarkName =
  | `${'last' | 'next'} ${TurnName}`
  | `worker ${string}`
  | 'moved'
  | 'alerts'
  | 'collation'
  | 'console import'
  | 'import undo'
  | 'students';

export interface Mark {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly detail: string;
}

export async function setMark(kysely: Kysely<Database>, name: MarkName, mark: Mark): Promise<void> {
  await kysely
    .insertInto('marks')
    .values({ name, ...mark })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ ...mark }))
    .execute();
}

export function readMark(kysely: Kysely<Database>, name: MarkName): Promise<Mark | undefined> {
  return kysely.selectFrom('marks').select(['at', 'detail']).where('name', '=', name).executeTakeFirst();
}

/** Lists the marks whose names begin with a text. */
export async function listMarks(
  kysely: Kysely<Database>,
  prefix: 'worker ',
): Promise<readonly (Mark & { readonly name: `worker ${string}` })[]> {
  const rows = await kysely
    .selectFrom('marks')
    .select(['name', 'at', 'detail'])
    .where('name', 'like', `${prefix}%`)
    .orderBy('name')
    .execute();
  // The condition.
  return rows.map((row) => ({ ...row, name: row.name as `worker ${string}` }));
}

export async function removeMark(kysely: Kysely<Database>, name: MarkName): Promise<void> {
  await kysely.deleteFrom('marks').where('name', '=', name).execute();
}
