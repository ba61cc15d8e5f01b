import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { HotStatement } from '../engine/hot-statement';
import type { Database } from '../engine/schema';
import type { Calendar } from './usage';
import { OF_TELEPHONES } from './channels';
import { type RemovalStep, removeEnded } from './removal';

/** Until when nothing is left of what came to its end. Milliseconds since 1970 UTC. */
interface Expiry {
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

/** In the words of the index: codes whose numbers are still whole, those first that have their digest. */
const WHOLE = sql`${OF_TELEPHONES} and recipient not like '%...%'`;
const LACKS_DIGEST = sql`case when dedupe_key is null then 1 else 0 end`;

/** Codes that failed, once they are worthless: nothing else has its code for so long. */
const ERASE_CODES = erase('erase_codes', sql`payload = null`, (until) => {
  return sql`${WHOLE} and ${LACKS_DIGEST} = 0 and created_at <= ${until}
    and payload is not null and expires_at <= ${until}`;
});
const ERASE_DIGESTS = erase('erase_digests', sql`payload = null, dedupe_key = null`, (until) => {
  return sql`${WHOLE} and ${LACKS_DIGEST} = 0 and created_at <= ${until}`;
});
const ERASE_REQUEST_KEYS = erase('erase_request_keys', sql`dedupe_key = null`, (until) => {
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
        select id from messages where ${isExpired(param.integer(({ until }) => until))}
          and state not in ('queued', 'sending') limit ${param.integer(({ limit }) => limit)})
      returning id`,
  };
}

/** Their digests are erased long before. */
const WHOLE_PHONES: HotStatement<
  Slice,
  readonly [id: string, phone: string, caller: string | null, area: string | null, createdAt: number]
> = {
  name: 'whole_phones',
  kind: 'read',
  build: (_db, param) => sql`select id, recipient, caller, area, created_at from messages
    where ${WHOLE} and ${LACKS_DIGEST} = 1 and created_at <= ${param.integer(({ until }) => until)}
      and state not in ('queued', 'sending')
    order by created_at limit ${param.integer(({ limit }) => limit)}`,
};

/**
 * Where another has masked it meanwhile, or an operator tries it again, there is no row. What is then counted by day needs not to be counted by the
 * hour any more.
 */
const MASK_PHONE: HotStatement<
  { readonly id: string; readonly masked: string; readonly phone: string },
  readonly [id: string]
> = {
  name: 'mask_phone',
  kind: 'write',
  build: (_db, param) => sql`update messages set recipient = ${param(({ masked }) => masked)}, area = null
    where id = ${param(({ id }) => id)} and recipient = ${param(({ phone }) => phone)}
      and state not in ('queued', 'sending')
    returning id`,
};

interface DayCount {
  readonly caller: string;
  readonly area: string;
  readonly day: number;
  codes: number;
}

const COUNT_TRAFFIC: HotStatement<DayCount, readonly []> = {
  name: 'count_traffic',
  kind: 'write',
  build: (_db, param) => sql`insert into code_traffic (caller, area, day, codes)
    values (${param(({ caller }) => caller)}, ${param(({ area }) => area)}, ${param.integer(({ day }) => day)},
      ${param.integer(({ codes }) => codes)})
    on conflict (area, caller, day) do update set codes = code_traffic.codes + excluded.codes`,
};

const DAY_MS = 24 * 60 * 60_000;

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
   * Masks telephone numbers of codes that came to their end, and counts by day where they went, in a transaction.
   *
   * @param createdUntil - of codes taken on until then
   * @param mask - what is kept of a number, with an ellipsis for what is not
   * @returns how many, at most `limit`
   */
  async maskPhones(createdUntil: number, limit: number, mask: (phone: string) => string): Promise<number> {
    const rows = await this.#connection.rows(WHOLE_PHONES, { until: createdUntil, limit });
    const counts = new Map<string, DayCount>();
    for (const [id, phone, caller, area, createdAt] of rows) {
      const masked = await this.#connection.rows(MASK_PHONE, { id, phone, masked: mask(phone) });
      if (masked.length === 0 || area === null) continue;
      for (const each of countedAs(area)) {
        const day = Math.floor(createdAt / DAY_MS);
        const count = { caller: caller ?? '', area: each, day, codes: 0 };
        const key = JSON.stringify(count);
        counts.set(key, { ...count, codes: (counts.get(key)?.codes ?? 0) + 1 });
      }
    }
    // All in the same order, so that nobody waits for each other.
    for (const [, count] of [...counts].toSorted()) await this.#connection.rows(COUNT_TRAFFIC, count);
    return rows.length;
  }

  /**
   * Removes some of the messages that came to their end before a moment, in a transaction.
   *
   * @param after - the last one that the step before looked at, empty at first
   * @param endedBefore - milliseconds since 1970 UTC
   * @param calendar - tells for which day each one is counted
   */
  removeEnded(after: string, endedBefore: number, calendar: Calendar): Promise<RemovalStep> {
    return removeEnded(this.#connection, after, endedBefore, calendar);
  }

  /**
   * Takes away what tells nothing any more of where codes usually go.
   *
   * @param rangesBefore - counts of ranges from before this day, in days since 1970 UTC
   * @param countriesBefore - those of whole countries
   * @param heldBefore - what was held until before this moment, in milliseconds since 1970 UTC
   */
  async forgetTraffic(rangesBefore: number, countriesBefore: number, heldBefore: number): Promise<void> {
    const { kysely } = this.#connection;
    await kysely
      .deleteFrom('code_traffic')
      .where('day', '<', rangesBefore)
      .where((where) => where.or([where('day', '<', countriesBefore), where('area', 'like', '%:%')]))
      .execute();
    await kysely.deleteFrom('held_areas').where('held_until', '<', heldBefore).execute();
  }
}

/** A country and a range of its numbers, of an area such as `h:TR:555111`. */
function countedAs(area: string): readonly string[] {
  const [, country = '', range = ''] = area.split(':');
  return [country, `${country}:${range}`];
}

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
