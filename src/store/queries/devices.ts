import { type RawBuilder, sql } from 'kysely';

import { type Connection, type HotStatement, takeLock } from '../engine';
import { isStorableText } from './stored-text';

export const TOKEN_OF_DEVICE: HotStatement<{ readonly id: string }, readonly [token: string]> = {
  name: 'token_of_device',
  kind: 'read',
  single: true,
  build: (db, param) =>
    db
      .selectFrom('devices')
      .select('token')
      .where(
        'id',
        '=',
        param(({ id }) => id),
      )
      .where('valid', '=', sql.lit(1)),
};

/**
 * The current device of the row of `students` in the surrounding statement: the valid one seen last, of
 * equals the one with the smallest id, empty for none.
 */
export const CURRENT_DEVICE: RawBuilder<string> = sql<string>`coalesce((
  select d.id from devices as d
  where d.school_id = students.school_id and d.student_id = students.id and d.valid = 1
  order by d.last_seen desc nulls last, d.id
  limit 1), '')`;

/** Telephones, and the token under which the push provider knows each. */
export class Devices {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The push token of a device; empty for a device that is unknown or whose token is dead. */
  async tokenOf(id: string): Promise<string> {
    if (!isStorableText(id)) return '';
    const [row] = await this.#connection.rows(TOKEN_OF_DEVICE, { id });
    return row?.[0] ?? '';
  }

  /**
   * Takes a device's token out of use, in a transaction, because the push provider declared it dead; its student's
   * current device is then another one, or none. A device that has got another token in the meantime stays as it
   * is.
   *
   * @returns whether the token was in use
   */
  async invalidateToken(id: string, token: string): Promise<boolean> {
    const { kysely, engine } = this.#connection;
    // Against an import of devices, which works out current devices as well.
    await takeLock(kysely, engine, ['devices']);
    const [device] = await kysely
      .updateTable('devices')
      .set({ valid: 0 })
      .where('id', '=', id)
      .where('token', '=', token)
      .where('valid', '=', 1)
      .returning(['school_id', 'student_id'])
      .execute();
    if (device === undefined) return false;
    await sql`update students set device_id = ${CURRENT_DEVICE}
      where school_id = ${device.school_id} and id = ${device.student_id}`.execute(kysely);
    return true;
  }
}
