import { type Kysely, type RawBuilder, sql } from 'kysely';

import { ALL_FEATURES } from '../../features/feature';
import { Repository } from '../engine/engine';
import { hotRead, type HotStatement, hotWrite } from '../engine/hot-statement';
import type { Database } from '../engine/schema';
import { OF_TELEPHONES } from './channels';
import { type RemovalStep, removeEnded } from './removal';
import type { Calendar } from '../../support/calendar';

/** Times of expiry. Milliseconds since 1970 UTC. */
interface Expiry {
  /** Failed messages can be retried until their lifetime ends. */
  readonly now: number;
  /** Keys of codes accepted until then are erased. */
  readonly codesUntil: number;
  /** Keys of SendMarkNotes requests settled before then are erased. */
  readonly requestsBefore: number;
}

interface Slice {
  readonly until: number;
  readonly limit: number;
}

/** Worded like the index: codes whose numbers are not masked, those with a digest first. */
const WHOLE = sql`${OF_TELEPHONES} and recipient not like '%...%'`;
const LACKS_DIGEST = sql`case when dedupe_key is null then 1 else 0 end`;

/** Erases failed codes at the end of their lifetime. */
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
  return hotWrite(
    name,
    (param) => sql`update messages set ${change} where id in (
        select id from messages where ${isExpired(param.integer(({ until }) => until))}
          and state not in ('queued', 'sending') limit ${param.integer(({ limit }) => limit)})
      returning id`,
  );
}

/** A code whose number was masked. */
export interface MaskedCode {
  /** Empty if unknown. */
  readonly caller: string;
  /** Area that the guard of codes stored with it. */
  readonly area: string;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/** Their digests are erased long before. */
const WHOLE_PHONES = hotRead<
  Slice,
  readonly [id: string, phone: string, caller: string | null, area: string | null, createdAt: number]
>(
  'whole_phones',
  (param) => sql`select id, recipient, caller, area, created_at from messages
    where ${WHOLE} and ${LACKS_DIGEST} = 1 and created_at <= ${param.integer(({ until }) => until)}
      and state not in ('queued', 'sending')
    order by created_at limit ${param.integer(({ limit }) => limit)}`,
);

/**
 * Returns no row if another process has masked it meanwhile, or an operator retries it. Once counted by day,
 * it need not be counted by the hour.
 */
const MASK_PHONE = hotWrite<
  { readonly id: string; readonly masked: string; readonly phone: string },
  readonly [id: string]
>(
  'mask_phone',
  (param) => sql`update messages set recipient = ${param(({ masked }) => masked)}, area = null
    where id = ${param(({ id }) => id)} and recipient = ${param(({ phone }) => phone)}
      and state not in ('queued', 'sending')
    returning id`,
);

/** Erases data of messages in a final state as soon as it is no longer needed. */
export class Retention extends Repository {
  /**
   * Erases keys for finding duplicates as soon as no duplicate is searched for (the digest of a short code
   * reveals the code), and failed codes at the end of their lifetime.
   *
   * @param limit - maximum number of messages of each kind, to keep others from waiting
   * @returns the number of messages; more may be left unless it is zero
   */
  async eraseExpired({ now, codesUntil, requestsBefore }: Expiry, limit: number): Promise<number> {
    const erased = [
      await this.connection.rows(ERASE_CODES, { until: now, limit }),
      await this.connection.rows(ERASE_DIGESTS, { until: codesUntil, limit }),
      await this.connection.rows(ERASE_REQUEST_KEYS, { until: requestsBefore, limit }),
    ];
    return erased.reduce((sum, rows) => sum + rows.length, 0);
  }

  /**
   * Masks the phone numbers of codes in a final state, in a transaction. Features may count them.
   *
   * @param createdUntil - masks codes accepted until then
   * @param mask - returns the part of a number to keep, with an ellipsis for the rest
   * @returns the number of codes, at most `limit`
   */
  async maskPhones(createdUntil: number, limit: number, mask: (phone: string) => string): Promise<number> {
    const rows = await this.connection.rows(WHOLE_PHONES, { until: createdUntil, limit });
    const counted: MaskedCode[] = [];
    for (const [id, phone, caller, area, createdAt] of rows) {
      const masked = await this.connection.rows(MASK_PHONE, { id, phone, masked: mask(phone) });
      if (masked.length > 0 && area !== null) counted.push({ caller: caller ?? '', area, createdAt });
    }
    if (counted.length > 0)
      for (const { countMasked } of ALL_FEATURES) await countMasked?.(this.connection, counted);
    return rows.length;
  }

  /**
   * Removes some of the messages that ended before a moment, in a transaction.
   *
   * @param after - last message that the previous step examined, empty at first
   * @param endedBefore - milliseconds since 1970 UTC
   * @param calendar - determines the day under which each one is counted
   */
  removeEnded(after: string, endedBefore: number, calendar: Calendar): Promise<RemovalStep> {
    return removeEnded(this.connection, after, endedBefore, calendar);
  }

  /** Removes what features no longer need. In a transaction. */
  async removeOutdated(now: number): Promise<void> {
    for (const { removeOutdated } of ALL_FEATURES) await removeOutdated?.(this.connection, now);
  }
}

/** Data removed from the database by a command. Contains no names. */
export interface Erasure {
  readonly command: 'forget' | 'import';
  /** Numbers by kind. */
  readonly removed: Readonly<Record<string, number>>;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/**
 * Leaves a record of a command's removals for the service's log: the command itself ends, and its output may
 * be needed months later.
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

/** Records left by commands. */
export class Erasures extends Repository {
  /** Takes the records over for logging: no other process gets the same ones. */
  async take(): Promise<readonly Erasure[]> {
    const rows = await this.connection.kysely.deleteFrom('erasures').returningAll().execute();
    return rows.map(({ command, removed, at }) => ({
      // Only `noteErasure` writes the columns, from these types.
      command: command as Erasure['command'],
      removed: JSON.parse(removed) as Erasure['removed'],
      at,
    }));
  }
}
