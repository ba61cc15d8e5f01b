import { Client, type ClientConfig, type Pool } from 'pg';

import { enter } from './presence';

/** Name of the notification channel in the database. */
const CHANNEL = 'student_notification_outbox';
/** Pause before a lost connection is made anew, in milliseconds. */
const RECONNECT_MS = 1000;

/**
 * Tells the other processes on this database of something new. Only a hint: who misses it finds out by looking,
 * so failures are passed over.
 */
export class Announcer {
  readonly #pool: Pool;
  readonly #topics = new Set<string>();
  #sending = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Those of one moment become one notification: at each commit of one the server takes a lock for all. */
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
 * Hears what other processes announce, over a connection of its own that is made anew whenever it is lost.
 *
 * @returns what ends it
 */
export function listenForAnnouncements(
  config: ClientConfig,
  onTopic: (topic: string) => void,
): () => Promise<void> {
  let client: Client | undefined;
  let again: NodeJS.Timeout | undefined;
  let ended = false;

  const connect = (): void => {
    const made = new Client(config);
    client = made;
    made.on('notification', ({ payload = '' }) => {
      onTopic(payload);
    });
    let lost = false;
    const reconnect = (): void => {
      if (ended || lost) return;
      lost = true;
      void made.end().catch(() => undefined);
      again = setTimeout(connect, RECONNECT_MS);
    };
    made.on('error', reconnect);
    made.on('end', reconnect);
    made
      .connect()
      .then(async () => {
        await enter(made);
        await made.query(`listen ${CHANNEL}`);
      })
      .catch(reconnect);
  };
  connect();

  return async () => {
    ended = true;
    clearTimeout(again);
    await client?.end().catch(() => undefined);
  };
}
