import { sql } from 'kysely';

import type { Connection, HotStatement } from '../engine';

export interface NoteType {
  readonly id: string;
  readonly name: string;
}

const NOTE_TYPES: HotStatement<undefined, readonly [id: string, name: string]> = {
  name: 'note_types',
  kind: 'read',
  build: () => sql`select id, name from note_types order by id`,
};

export class NoteTypes {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** All of them, by id. */
  async all(): Promise<readonly NoteType[]> {
    const rows = await this.#connection.rows(NOTE_TYPES, undefined);
    return rows.map(([id, name]) => ({ id, name }));
  }
}
