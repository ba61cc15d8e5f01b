import type { Connection } from '../engine';

export interface NoteType {
  readonly id: string;
  readonly name: string;
}

export class NoteTypes {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** All of them, by id. */
  all(): Promise<readonly NoteType[]> {
    return this.#connection.kysely.selectFrom('note_types').select(['id', 'name']).orderBy('id').execute();
  }
}
