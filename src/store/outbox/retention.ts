import { type RawBuilder, sql } from 'kysely';

import type { Connection, HotStatement } from '../engine/engine';

/** From when on nothing is left of what came to its end. Milliseconds since 1970 UTC. */
export interface Forgetting {
  /** What failed can be tried again until its lifetime is over. */
  readonly now: number;
  /** Keys of codes taken on until then. */
  readonly codesUntil: number;
  /** Keys of SendMarkNotes requests settled before. */
  readonly requestsBefore: number;
}

/** Codes that failed, once they are worthless. Each of these has an index of what is still to be forgotten. */
export const FORGET_CODES = forgetting(
  'forget_codes',
  sql`payload = null`,
  sql`channel = 'sms' and payload is not null and expires_at <= ${0}`,
);
export const FORGET_DIGESTS = forgetting(
  'forget_digests',
  sql`payload = null, dedupe_key = null`,
  sql`channel = 'sms' and dedupe_key is not null and created_at <= ${0}`,
);
export const FORGET_REQUESTS = forgetting(
  'forget_requests',
  sql`dedupe_key = null`,
  sql`channel = 'mark' and dedupe_key is not null and updated_at < ${0}`,
);

/** Placeholders: moment, limit. */
function forgetting(
  name: string,
  change: RawBuilder<unknown>,
  isOver: RawBuilder<unknown>,
): HotStatement<readonly [id: string]> {
  return {
    name,
    kind: 'write',
    build: (db) => ({
      compile: () =>
        sql`update messages set ${change} where id in (
            select id from messages where ${isOver} and state not in ('queued', 'sending') limit ${0})
          returning id`.compile(db),
    }),
  };
}

/** By an index of those that are still whole. Placeholders: moment, limit. */
const WHOLE_PHONES: HotStatement<readonly [id: string, phone: string]> = {
  name: 'whole_phones',
  kind: 'read',
  build: (db) => ({
    compile: () =>
      sql`select id, recipient from messages
        where channel = 'sms' and recipient not like '%...%' and created_at <= ${0}
          and state not in ('queued', 'sending')
        order by created_at limit ${0}`.compile(db),
  }),
};

const MASK_PHONE: HotStatement<readonly []> = {
  name: 'mask_phone',
  kind: 'write',
  build: (db) => db.updateTable('messages').set({ recipient: '' }).where('id', '=', ''),
};

/** What is kept of messages that came to their end, and how long. */
export class Retention {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Takes from what came to its end the keys by which repetitions are found, as soon as none is looked for any
   * more (who has the digest of a short code has the code), and codes that failed, once they are worthless.
   *
   * @param limit - most messages of each kind, so that others need not wait for long
   * @returns how many messages it was; more may be left unless it was none
   */
  async forget({ now, codesUntil, requestsBefore }: Forgetting, limit: number): Promise<number> {
    const forgotten = [
      await this.#connection.rows(FORGET_CODES, [now, limit]),
      await this.#connection.rows(FORGET_DIGESTS, [codesUntil, limit]),
      await this.#connection.rows(FORGET_REQUESTS, [requestsBefore, limit]),
    ];
    return forgotten.reduce((sum, rows) => sum + rows.length, 0);
  }

  /**
   * Masks telephone numbers of codes that came to their end, in a transaction.
   *
   * @param createdUntil - of codes taken on until then
   * @param mask - what is kept of a number, with an ellipsis for what is not
   * @returns how many, at most `limit`
   */
  async maskPhones(createdUntil: number, limit: number, mask: (phone: string) => string): Promise<number> {
    const rows = await this.#connection.rows(WHOLE_PHONES, [createdUntil, limit]);
    for (const [id, phone] of rows) await this.#connection.rows(MASK_PHONE, [mask(phone), id]);
    return rows.length;
  }
}
