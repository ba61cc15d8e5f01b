import { type Kysely, sql } from 'kysely';

import { type Connection, type Engine, EngineRepository, StoreError } from '../engine/engine';
import type { Database } from '../engine/schema';

/** Names of the database's own records about itself. */
type MarkName =
  | `${'last' | 'next'} ${TurnName}`
  | `worker ${string}`
  | 'moved'
  | 'alerts'
  | 'collation'
  | 'console import'
  | 'import undo'
  | 'students';
type TurnName = 'backup' | 'import';

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

/** Lists the marks whose names begin with a text. */
export async function listMarks(
  kysely: Kysely<Database>,
  prefix: 'worker ',
): Promise<readonly (Mark & { readonly name: `worker ${string}` })[]> {
  const rows = await kysely
    .selectFrom('marks')
    .select(['name', 'at', 'detail'])
    .where('name', 'like', `${prefix}%`)
    .orderBy('name')
    .execute();
  // The condition.
  return rows.map((row) => ({ ...row, name: row.name as `worker ${string}` }));
}

export async function removeMark(kysely: Kysely<Database>, name: MarkName): Promise<void> {
  await kysely.deleteFrom('marks').where('name', '=', name).execute();
}

/**
 * Returns true until the time of a mark that reserves something.
 *
 * @param longest - milliseconds; a time further away was set with other settings, or by another clock
 */
function isInForce(mark: Mark | undefined, now: number, longest: number): mark is Mark {
  return mark !== undefined && mark.at > now && mark.at <= now + longest;
}

export interface LastBackup {
  /** When the backup began, in milliseconds since 1970 UTC: it contains everything written before. */
  readonly at: number;
  readonly file: string;
}

/** Scheduled work that one of several processes and nodes does. */
class Turns extends EngineRepository {
  readonly #name: TurnName;

  constructor(engine: Engine, name: TurnName) {
    super(engine);
    this.#name = name;
  }

  /**
   * Claims the work if it is due. If the process is killed, another can claim it after `withinMs`.
   *
   * @param now - milliseconds since 1970 UTC
   * @param everyMs - interval; a due time further away was set with other settings, or by another clock
   */
  takeTurn(now: number, everyMs: number, withinMs: number): Promise<boolean> {
    return this.engine.write(async (connection) => {
      await connection.lock([this.#name]);
      const next = await readMark(connection.kysely, `next ${this.#name}`);
      if (isInForce(next, now, Math.max(everyMs, withinMs))) return false;
      await setMark(connection.kysely, `next ${this.#name}`, { at: now + withinMs, detail: '' });
      return true;
    });
  }

  /** Sets the time of the next turn, in milliseconds since 1970 UTC. */
  setNext(at: number): Promise<void> {
    return this.engine.write(({ kysely }) => setMark(kysely, `next ${this.#name}`, { at, detail: '' }));
  }
}

/** The service's own backups. */
export class Backups extends Turns {
  constructor(engine: Engine) {
    super(engine, 'backup');
  }

  /** Returns the last completed backup, by the service or by a command. */
  last(): Promise<LastBackup | undefined> {
    return lastBackup(this.engine.direct);
  }
}

/** An import of IMPORT_FOLDER that has ended. */
export interface LastImport {
  /** When it began, in milliseconds since 1970 UTC. */
  readonly at: number;
  readonly isGood: boolean;
  /** Distinguishes the files from changed ones; empty if the next turn must try the same files again. */
  readonly state: string;
  /** When the newest of the files changed, in milliseconds since 1970 UTC. */
  readonly filesAt: number;
  /** Output of the command `import`. */
  readonly report: string;
}

/** An import from a node's console, in progress or waiting for its user. */
interface ImportClaim {
  readonly node: string;
  readonly who: string;
}

/** The service's own imports. */
export class Imports extends Turns {
  constructor(engine: Engine) {
    super(engine, 'import');
  }

  async last(): Promise<LastImport | undefined> {
    const mark = await readMark(this.engine.direct.kysely, 'last import');
    // Only `record` writes it, from this type.
    return mark && { at: mark.at, ...(JSON.parse(mark.detail) as Omit<LastImport, 'at'>) };
  }

  record({ at, ...others }: LastImport): Promise<void> {
    return this.engine.write(({ kysely }) =>
      setMark(kysely, 'last import', { at, detail: JSON.stringify(others) }),
    );
  }

  /**
   * Claims imports from the console for a node, or renews its claim.
   *
   * @param now - milliseconds since 1970 UTC
   * @param leaseMs - length of the claim; a longer one was made by another clock
   * @returns the claim of another node, which keeps it
   */
  claim(claim: ImportClaim, now: number, leaseMs: number): Promise<ImportClaim | undefined> {
    return this.engine.write(async (connection) => {
      await connection.lock(['console import']);
      const mark = await readMark(connection.kysely, 'console import');
      // Only this method writes marks of this name, from this type.
      const holder = isInForce(mark, now, 2 * leaseMs) ? (JSON.parse(mark.detail) as ImportClaim) : claim;
      if (holder.node !== claim.node) return holder;
      const detail = JSON.stringify(claim);
      await setMark(connection.kysely, 'console import', { at: now + leaseMs, detail });
      return undefined;
    });
  }

  /** Ends the claim of a node; after a lapse, the claim may be another node's. */
  release(node: string): Promise<void> {
    return this.engine.write(async (connection) => {
      await connection.lock(['console import']);
      const mark = await readMark(connection.kysely, 'console import');
      if (mark === undefined || (JSON.parse(mark.detail) as ImportClaim).node !== node) return;
      await removeMark(connection.kysely, 'console import');
    });
  }
}

/** Lease for notifying about alerts, held by one node at a time, with the notifications sent. */
export class AlertNotes extends EngineRepository {
  /**
   * Takes or renews the lease, and returns the last holder's notes; undefined while another node holds it.
   *
   * @param owner - name of the node
   * @param now - milliseconds since 1970 UTC
   * @param leaseMs - length of the lease; a longer one was taken by another clock
   */
  take(owner: string, now: number, leaseMs: number): Promise<string | undefined> {
    return this.engine.write(async (connection) => {
      await connection.lock(['alerts']);
      const mark = await readMark(connection.kysely, 'alerts');
      const [holder = '', notes = ''] = mark === undefined ? [] : (JSON.parse(mark.detail) as string[]);
      if (isInForce(mark, now, 2 * leaseMs) && holder !== owner) return undefined;
      await setMark(connection.kysely, 'alerts', noteMark(owner, now + leaseMs, notes));
      return notes;
    });
  }

  /** Saves the notes. @param leaseUntil - milliseconds since 1970 UTC; a past moment gives the lease up */
  save(owner: string, leaseUntil: number, notes: string): Promise<void> {
    return this.engine.write(({ kysely }) => setMark(kysely, 'alerts', noteMark(owner, leaseUntil, notes)));
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

/** Selects a row if anything is stored whose ids were brought into the form in which they are compared. */
const KEYED = sql`select 1 from schools union all select 1 from exams union all select 1 from note_types
  union all select 1 from messages where channel = 'mark' and state = 'queued' limit 1`;

/**
 * Compares the collation of ids with that of the stored data.
 *
 * @param name - empty for an exact comparison
 * @param mayRecord - true to record it as long as there is no data
 * @throws StoreError if the data was loaded with another one
 */
export async function checkCollation(
  { kysely }: Pick<Connection, 'kysely'>,
  name: string,
  mayRecord: boolean,
): Promise<void> {
  const stored = (await readMark(kysely, 'collation'))?.detail ?? '';
  if (stored === name) return;
  const { rows } = await KEYED.execute(kysely);
  if (rows.length > 0) {
    throw new StoreError(
      'conflict',
      `The data was loaded with KEY_COLLATION=${stored}. Set it back to that, or use a new database: with it set to ` +
        `${name === '' ? 'nothing' : name}, stored ids would not be found.`,
    );
  }
  if (mayRecord) await setMark(kysely, 'collation', { at: Date.now(), detail: name });
}
