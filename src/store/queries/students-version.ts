import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { type Kysely, sql } from 'kysely';

import { hotRead } from '../engine/hot-statement';
import type { Database, EngineName } from '../engine/schema';
import { setMark } from '../keeping/marks';

/**
 * Mark with a text that is new after every change to students or their devices: what is read under the same
 * text is equal. It is random, since a database may lose its last changes and then count on from an earlier
 * number.
 */
const VERSION_MARK = 'students';
export const VERSION = sql<string | null>`(select detail from marks where name = ${sql.lit(VERSION_MARK)})`;

/** Time for which a process on PostgreSQL may use a version that it has read, in milliseconds. */
const VERSION_REUSED_MS = 10;

export const VERSION_OF_STUDENTS = hotRead<undefined, readonly [version: string | null]>(
  'version_of_students',
  () => sql`select ${VERSION}`,
  { single: true, reusedMs: VERSION_REUSED_MS },
);

/**
 * Must be called last in every transaction that changes students, their devices or their schools. Imports
 * and removals then wait {@link untilVisibleToAll} before they return.
 */
export function noteStudentsChanged(kysely: Kysely<Database>): Promise<void> {
  return setMark(kysely, VERSION_MARK, { at: Date.now(), detail: randomUUID() });
}

/** Waits, after a change of students was committed, until no process uses the version before it. */
export async function untilVisibleToAll(engine: EngineName): Promise<void> {
  const end = performance.now() + VERSION_REUSED_MS;
  // A timer may fire early by as much as the event loop was late.
  while (engine === 'postgres' && performance.now() <= end) await delay(VERSION_REUSED_MS);
}
