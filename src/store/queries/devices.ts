import { sql } from 'kysely';

import type { Connection, HotStatement } from '../engine/engine';
import { isStorableText } from './storable-text';

export const TOKEN_OF_DEVICE: HotStatement<readonly [token: string]> = {
  name: 'token_of_device',
  kind: 'read',
  single: true,
  build: (db) =>
    db.selectFrom('devices').select('token').where('id', '=', '').where('valid', '=', sql.lit(1)),
};

/** Telephones, and the token under which the push provider knows each. */
export class Devices {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The push token of a device; empty for a device that is unknown or whose token is dead. */
  async tokenOf(deviceId: string): Promise<string> {
    if (!isStorableText(deviceId)) return '';
    const [row] = await this.#connection.rows(TOKEN_OF_DEVICE, [deviceId]);
    return row?.[0] ?? '';
  }
}
