import type { Kysely } from 'kysely';

import { type Connection, type Engine, StoreError } from '../engine/engine';
import type { Database } from '../engine/schema';

/** Names of the database's own records about itself. */
type MarkName = 'last backup' | 'next backup' | 'moved' | 'alerts';

interface Mark {
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

export async function removeMark(kysely: Kysely<Database>, name: MarkName): Promise<void> {
  await kysely.deleteFrom('marks').where('name', '=', name).execute();
}

/** A completed backup. */
export interface LastBackup {
  /** When the backup began, in milliseconds since 1970 UTC: it contains everything written before. */
  readonly at: number;
  readonly file: string;
}

/** The service's own backups: the last one, and the process that makes the next one. */
export class Backups {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the last completed backup, by the service or by a command. */
  async last(): Promise<LastBackup | undefined> {
    return lastBackup(this.#engine.direct);
  }

  /**
   * Claims the next backup if it is due, for one of several processes and nodes. If the process is killed, another can
   * claim it after `withinMs`.
   *
   * @param now - milliseconds since 1970 UTC
   * @param everyMs - interval; a due time further away was set with other settings, or by another clock
   */
  takeTurn(now: number, everyMs: number, withinMs: number): Promise<boolean> {
    return this.#engine.write(async (connection) => {
      await connection.lock(['backup']);
      const next = await readMark(connection.kysely, 'next backup');
      if (next !== undefined && next.at > now && next.at <= now + Math.max(everyMs, withinMs)) return false;
      await setMark(connection.kysely, 'next backup', { at: now + withinMs, detail: '' });
      return true;
    });
  }

  /** Sets the time of the next backup, in milliseconds since 1970 UTC. */
  setNext(at: number): Promise<void> {
    return this.#engine.write(({ kysely }) => setMark(kysely, 'next backup', { at, detail: '' }));
  }
}

/** Lease for notifying about alerts, held by one node at a time, with the notifications sent. */
export class AlertNotes {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Takes or renews the lease, and returns the last holder's notes; undefined while another node holds it.
   *
   * @param owner - name of the node
   * @param now - milliseconds since 1970 UTC
   * @param leaseMs - length of the lease; a longer one was taken by another clock
   */
  take(owner: string, now: number, leaseMs: number): Promise<string | undefined> {
    return this.#engine.write(async (connection) => {
      await connection.lock(['alerts']);
      const mark = await readMark(connection.kysely, 'alerts');
      const [holder = '', notes = ''] = mark === undefined ? [] : (JSON.parse(mark.detail) as string[]);
      const isHeld = mark !== undefined && mark.at > now && mark.at <= now + 2 * leaseMs;
      if (isHeld && holder !== owner) return undefined;
      await setMark(connection.kysely, 'alerts', noteMark(owner, now + leaseMs, notes));
      return notes;
    });
  }

  /**
   * Saves the notes.
   * @param leaseUntil - milliseconds since 1970 UTC; a past moment gives the lease up
   */
  save(owner: string, leaseUntil: number, notes: string): Promise<void> {
    return this.#engine.write(({ kysely }) => setMark(kysely, 'alerts', noteMark(owner, leaseUntil, notes)));
  }
}

function noteMark(owner: string, leaseUntil: number, notes: string): Mark {
  return { at: leaseUntil, detail: JSON.stringify([owner, notes]) };
}

export async function lastBackup({ kysely }: Pick<Connection, 'kysely'>): Promise<LastBackup | undefined> {
  const mark = await readMark(kysely, 'last backup');
  return mark && { at: mark.at, file: mark.detail };
}

/** @throws StoreError if the database's content was moved to another database */
export async function refuseMoved({ kysely }: Pick<Connection, 'kysely'>): Promise<void> {
  const mark = await readMark(kysely, 'moved');
  if (mark === undefined) return;
  throw new StoreError(
    'moved',
    `The database was moved to ${mark.detail} on ${new Date(mark.at).toISOString().slice(0, 10)}. Set DATABASE_URL to ` +
      'the new one. To use this one again, run move --undo.',
  );
}
