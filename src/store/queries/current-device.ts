import { type RawBuilder, sql } from 'kysely';

/**
 * The current device of the row of `students` in the surrounding statement: the valid one seen last, of
 * equals the one with the smallest id, empty for none.
 */
export const CURRENT_DEVICE: RawBuilder<string> = sql<string>`coalesce((
  select d.id from devices as d
  where d.school_id = students.school_id and d.student_id = students.id and d.valid = 1
  order by d.last_seen desc nulls last, d.id
  limit 1), '')`;
