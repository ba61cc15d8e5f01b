import { sql } from 'kysely';

import { CURRENT_DEVICE } from './queries/current-device';
import type { Connection } from './engine/engine';
import { Subjects } from './subjects';
import { takeLock } from './engine/transaction-lock';

/** What is done in one transaction: all of it is kept, or nothing. */
export class Transaction extends Subjects {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  /** Waits for other transactions that hold the lock of this name, and keeps it until this one ends. */
  lock(name: string): Promise<void> {
    return takeLock(this.#connection.kysely, this.#connection.engine, name);
  }

  /**
   * Takes a device's token out of use, because the push provider declared it dead; its student's current
   * device is then another one, or none. A device that has got another token in the meantime stays as it is.
   *
   * @returns whether the token was in use
   */
  async invalidateToken(deviceId: string, token: string): Promise<boolean> {
    // Against an import of devices, which works out current devices as well.
    await this.lock('devices');
    const { kysely } = this.#connection;
    const [device] = await kysely
      .updateTable('devices')
      .set({ valid: 0 })
      .where('id', '=', deviceId)
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
