import type { Kysely } from 'kysely';

import type { Connection, Database } from '../engine';

/** What a command took out of the database. Names nobody. */
export interface Erasure {
  readonly command: 'forget' | 'import';
  /** How many of each kind. */
  readonly removed: Readonly<Record<string, number>>;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/**
 * Leaves word of what a command took out: commands end, and what is to be found months later belongs into the log of
 * the service.
 */
export async function noteErasure(
  kysely: Kysely<Database>,
  { command, removed, at }: Erasure,
): Promise<void> {
  await kysely
    .insertInto('erasures')
    .values({ command, removed: JSON.stringify(removed), at })
    .execute();
}

/** What commands left word of. */
export class Erasures {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Takes over to tell of them: nobody else gets the same ones. */
  async take(): Promise<readonly Erasure[]> {
    const rows = await this.#connection.kysely.deleteFrom('erasures').returningAll().execute();
    return rows.map(({ command, removed, at }) => ({
      // Only `noteErasure` writes the columns, from these types.
      command: command as Erasure['command'],
      removed: JSON.parse(removed) as Erasure['removed'],
      at,
    }));
  }
}
