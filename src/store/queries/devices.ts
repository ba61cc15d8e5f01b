import { type RawBuilder, sql } from 'kysely';

import { Repository, takeLock } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import { Remembered } from './remembered';
import { isStorableText } from './schools';
import { noteStudentsChanged, VERSION } from './students-version';

/** Maximum number of remembered tokens: some 20 MB, at most 50 MB. */
const MAX_TOKENS = 50_000;
/** A longer token, with its id, counts as several. */
const TOKEN_CHARACTERS = 400;

const TOKEN_OF_DEVICE = hotRead<{ readonly id: string }, readonly [token: string, version: string | null]>(
  'token_of_device',
  (param) => sql`select token, ${VERSION} from devices where id = ${param(({ id }) => id)} and valid = 1`,
  { single: true },
);

/**
 * Selects the current device for the row of `students` in the surrounding statement: the valid one seen last,
 * if tied the one with the smallest id, empty for none.
 */
export const CURRENT_DEVICE: RawBuilder<string> = sql<string>`coalesce((
  select d.id from devices as d
  where d.school_id = students.school_id and d.student_id = students.id and d.valid = 1
  order by d.last_seen desc nulls last, d.id
  limit 1), '')`;

/** Phones, with the push provider's token for each. */
export class Devices extends Repository {
  #remembered: Remembered<string> | undefined;

  /**
   * Returns the push token of a device; empty for a device that is unknown or whose token is dead. A token
   * that was read before is read again only after a change.
   */
  tokenOf(id: string): Promise<string> {
    if (!isStorableText(id)) return Promise.resolve('');
    // An unknown device is not remembered: callers can make up any number of them.
    this.#remembered ??= new Remembered(this.connection, MAX_TOKENS, (token, name) =>
      token === '' ? 0 : Math.ceil((token.length + name.length) / TOKEN_CHARACTERS),
    );
    return this.#remembered.get(id, async () => {
      const [row] = await this.connection.rows(TOKEN_OF_DEVICE, { id });
      return row ?? ['', null];
    });
  }

  /**
   * Invalidates a device's token, in a transaction, because the push provider declared it dead; its student's
   * current device then changes to another one, or to none. A device with a newer token stays unchanged.
   *
   * @returns true if the token was in use
   */
  async invalidateToken(id: string, token: string): Promise<boolean> {
    const { kysely, engine } = this.connection;
    // Excludes imports of devices, which also determine current devices.
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
    await noteStudentsChanged(kysely);
    return true;
  }
}
