import type { Kysely } from 'kysely';

import { type Connection, type Engine, StoreError } from '../engine/engine';
import type { Database } from '../engine/schema';

/** What the database's own table of what befell it has. */
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

/** A backup that came to its end. */
export interface LastBackup {
  /** When it was begun: it holds all that was written before. Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly file: string;
}

/** The backups of the service itself: which was the last, and whose turn the next one is. */
export class Backups {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The last good one, of the service or of a command. */
  async last(): Promise<LastBackup | undefined> {
    return lastBackup(this.#engine.direct);
  }

  /**
   * Takes over the next backup, where it is due: of several processes and nodes one does. Where it is killed, another
   * one does after `withinMs`.
   *
   * @param now - milliseconds since 1970 UTC
   * @param everyMs - a turn that is further away was taken with other settings, or by another clock
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

  /** When the next one is due, in milliseconds since 1970 UTC. */
  setNext(at: number): Promise<void> {
    return this.#engine.write(({ kysely }) => setMark(kysely, 'next backup', { at, detail: '' }));
  }
}

/** Who notifies about alerts, and what was notified: one node at a time. */
export class AlertNotes {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Takes or renews the lease, and returns what the last holder saved; undefined while another node holds it.
   *
   * @param owner - name of the node
   * @param now - milliseconds since 1970 UTC
   * @param leaseMs - a lease that is longer was taken by another clock
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

  /** Saves what was notified. @param leaseUntil - milliseconds since 1970 UTC; a moment in the past gives the lease up */
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

/** @throws StoreError where what the database holds was moved to another one */
export async function refuseMoved({ kysely }: Pick<Connection, 'kysely'>): Promise<void> {
  const mark = await readMark(kysely, 'moved');
  if (mark === undefined) return;
  throw new StoreError(
    'moved',
    `The database was moved to ${mark.detail} on ${new Date(mark.at).toISOString().slice(0, 10)}. Set DATABASE_URL to ` +
      'the new one. To use this one again, run move --undo.',
  );
}
