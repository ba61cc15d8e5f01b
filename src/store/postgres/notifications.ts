import { setTimeout as delay } from 'node:timers/promises';

import type { ClientBase, Pool } from 'pg';

import { StoreError } from '../engine/engine';
import { postgresError } from './postgres-connection';
import type { ServerClient, Servers } from './servers';

/** Lock that every connection of this program shares, and that exclusive users hold alone. */
const LOCK = `hashtextextended('student_notification_presence', 0)`;
/** Time to wait for connections of programs that have just ended, in milliseconds. */
const PATIENCE_MS = 3000;
const PAUSE_MS = 100;

/**
 * Registers a new connection as a user of the database; a shared one only makes sure that it may be used.
 *
 * @throws StoreError during exclusive use
 */
export async function enter(client: ClientBase, isShared: boolean): Promise<void> {
  if (await took(client, isShared ? 'pg_try_advisory_xact_lock_shared' : 'pg_try_advisory_lock_shared'))
    return;
  throw new StoreError('locked', 'The database is being moved. Try again when that is done.');
}

/** Waits until this program has no other connection, and keeps new ones out until this one ends. */
export async function enterAlone(client: ClientBase): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await took(client, 'pg_try_advisory_lock'))) {
    if (performance.now() >= deadline) {
      throw new StoreError(
        'locked',
        'The database is in use by a service or another command. Stop it first.',
      );
    }
    await delay(PAUSE_MS);
  }
}

async function took(client: ClientBase, way: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ readonly taken: boolean }>(`select ${way}(${LOCK}) as taken`);
    return rows[0]?.taken === true;
  } catch (error) {
    throw postgresError(error);
  }
}

const CHANNEL = 'student_notification_outbox';
/** Pause before a lost connection is reopened, in milliseconds. */
const RECONNECT_MS = 1000;

/**
 * Notifies the other processes on this database of something new. These are hints: processes also poll, so
 * failures are ignored.
 */
export class Announcer {
  readonly #pool: Pool;
  readonly #topics = new Set<string>();
  #sending = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Combines simultaneous announcements into one notification: every commit of a notification takes a global
   * lock.
   */
  announce(topic: string): void {
    this.#topics.add(topic);
    if (!this.#sending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#sending = true;
    for (const topic of this.#topics) {
      this.#topics.delete(topic);
      await this.#pool.query('select pg_notify($1, $2)', [CHANNEL, topic]).catch(() => undefined);
    }
    this.#sending = false;
  }
}

/**
 * Listens for announcements of other processes, over a dedicated connection that is reopened whenever it is
 * lost or outdated. Behind a pooler in transaction mode there is nothing to hear, and polling remains.
 *
 * @returns a function that stops listening
 */
export function listenForAnnouncements(
  servers: Servers,
  onTopic: (topic: string) => void,
): () => Promise<void> {
  let client: ServerClient | undefined;
  let again: NodeJS.Timeout | undefined;
  let ended = false;

  const reconnect = (): void => {
    if (ended || again !== undefined) return;
    void client?.end().catch(() => undefined);
    client = undefined;
    again = setTimeout(() => {
      again = undefined;
      connect().catch(reconnect);
    }, RECONNECT_MS);
  };
  const connect = async (): Promise<void> => {
    const made = await servers.open(enter);
    if (servers.sharing.isShared) {
      await made.end();
      return;
    }
    client = made;
    made.on('notification', ({ payload = '' }) => onTopic(payload));
    made.on('end', () => {
      if (client === made) servers.lost(made.generation);
      if (client === made) reconnect();
    });
    if (ended) await made.end();
    else await made.query(`listen ${CHANNEL}`);
  };
  const forget = servers.onLost(reconnect);
  connect().catch(reconnect);

  return async () => {
    ended = true;
    forget();
    clearTimeout(again);
    await client?.end().catch(() => undefined);
  };
}
