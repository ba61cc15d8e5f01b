import { type RawBuilder, sql } from 'kysely';

import type { Connection, HotStatement } from '../engine';

/** Until when nothing is left of what came to its end. Milliseconds since 1970 UTC. */
export interface Expiry {
  /** What failed can be tried again until its lifetime is over. */
  readonly now: number;
  /** Keys of codes taken on until then. */
  readonly codesUntil: number;
  /** Keys of SendMarkNotes requests settled before. */
  readonly requestsBefore: number;
}

interface Slice {
  readonly until: number;
  readonly limit: number;
}

/** Codes that failed, once they are worthless. Each of these has an index of what is still to be erased. */
export const ERASE_CODES = erase('erase_codes', sql`payload = null`, (until) => {
  return sql`channel = 'sms' and payload is not null and expires_at <= ${until}`;
});
export const ERASE_DIGESTS = erase('erase_digests', sql`payload = null, dedupe_key = null`, (until) => {
  return sql`channel = 'sms' and dedupe_key is not null and created_at <= ${until}`;
});
export const ERASE_REQUEST_KEYS = erase('erase_request_keys', sql`dedupe_key = null`, (until) => {
  return sql`channel = 'mark' and dedupe_key is not null and updated_at < ${until}`;
});

function erase(
  name: string,
  change: RawBuilder<unknown>,
  isExpired: (until: RawBuilder<number>) => RawBuilder<unknown>,
): HotStatement<Slice, readonly [id: string]> {
  return {
    name,
    kind: 'write',
    build: (_db, param) => sql`update messages set ${change} where id in (
        select id from messages where ${isExpired(param(({ until }) => until))}
          and state not in ('queued', 'sending') limit ${param(({ limit }) => limit)})
      returning id`,
  };
}

/** By an index of those that are still whole. */
const WHOLE_PHONES: HotStatement<Slice, readonly [id: string, phone: string]> = {
  name: 'whole_phones',
  kind: 'read',
  build: (_db, param) => sql`select id, recipient from messages
    where channel = 'sms' and recipient not like '%...%' and created_at <= ${param(({ until }) => until)}
      and state not in ('queued', 'sending')
    order by created_at limit ${param(({ limit }) => limit)}`,
};

const MASK_PHONE: HotStatement<{ readonly id: string; readonly masked: string }, readonly []> = {
  name: 'mask_phone',
  kind: 'write',
  build: (_db, param) =>
    sql`update messages set recipient = ${param(({ masked }) => masked)} where id = ${param(({ id }) => id)}`,
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
  async eraseExpired({ now, codesUntil, requestsBefore }: Expiry, limit: number): Promise<number> {
    const erased = [
      await this.#connection.rows(ERASE_CODES, { until: now, limit }),
      await this.#connection.rows(ERASE_DIGESTS, { until: codesUntil, limit }),
      await this.#connection.rows(ERASE_REQUEST_KEYS, { until: requestsBefore, limit }),
    ];
    return erased.reduce((sum, rows) => sum + rows.length, 0);
  }

  /**
   * Masks telephone numbers of codes that came to their end, in a transaction.
   *
   * @param createdUntil - of codes taken on until then
   * @param mask - what is kept of a number, with an ellipsis for what is not
   * @returns how many, at most `limit`
   */
  async maskPhones(createdUntil: number, limit: number, mask: (phone: string) => string): Promise<number> {
    const rows = await this.#connection.rows(WHOLE_PHONES, { until: createdUntil, limit });
    for (const [id, phone] of rows) await this.#connection.rows(MASK_PHONE, { id, masked: mask(phone) });
    return rows.length;
  }
}
