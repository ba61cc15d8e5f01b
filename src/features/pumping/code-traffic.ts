import { type RawBuilder, sql } from 'kysely';

import { Repository, hotRead, type HotStatement, hotWrite } from '../../store/statements';

/** Range of areas in character order, from `from` (inclusive) to `to` (exclusive). */
export interface AreaSpan {
  readonly from: string;
  readonly to: string;
}

/** Counts for a span of areas that are cheap to read. */
interface AreaGlance {
  /** End of the block for the caller, in milliseconds since 1970 UTC; 0 if it was never blocked. */
  readonly blockedUntil: number;
  /** Number of codes sent there in the last day by all callers. */
  readonly codes: number;
}

export interface AreaCount {
  readonly ofDay: { readonly codes: number; readonly phones: number };
  readonly ofHour: { readonly codes: number; readonly phones: number };
}

/**
 * A span of areas blocked for a caller after more codes than usual. Points in time are milliseconds since
 * 1970 UTC.
 */
export interface BlockedArea {
  /** Start of the span. */
  readonly area: string;
  /** Empty for unknown callers. */
  readonly caller: string;
  readonly blockedFrom: number;
  readonly blockedUntil: number;
  /** Number of codes sent there before the block. */
  readonly codes: number;
}

/** Codes sent to a country, or to a range of its numbers, in the days before. */
export interface PastTraffic {
  readonly caller: string;
  readonly area: string;
  /** Number of codes in the counted days; 0 if all are older. */
  readonly codes: number;
}

interface CountValues {
  readonly caller: string;
  readonly dayAgo: number;
  readonly hourAgo: number;
  readonly spans: readonly AreaSpan[];
}

type CountRow = readonly [
  span: number,
  codesOfDay: number,
  phonesOfDay: number,
  codesOfHour: number,
  phonesOfHour: number,
];

/** By the number of spans: one at home, three abroad. */
const STATEMENTS = [1, 2, 3].map((spans) => ({
  glance: glanceStatement(spans),
  count: countStatement(spans),
}));

function statementsFor({ spans }: CountValues): (typeof STATEMENTS)[number] {
  const statements = STATEMENTS[spans.length - 1];
  if (statements === undefined) throw new Error('There are no statements for this many spans');
  return statements;
}

/** Counts for all callers, and without telling phones apart, at a fifth of the cost of a full count. */
function glanceStatement(spans: number): HotStatement<CountValues, readonly (number | null)[]> {
  return hotRead(
    `glance_at_areas_${String(spans)}`,
    (param) => {
      const spanOf = (at: number, edge: keyof AreaSpan): RawBuilder<string> =>
        param((values) => values.spans[at]?.[edge] ?? '');
      const parts = Array.from({ length: spans }, (_, at) => [
        sql`(select blocked_until from blocked_areas
          where area = ${spanOf(at, 'from')} and caller = ${param(({ caller }) => caller)})`,
        sql`(select count(*) from messages
          where area >= ${spanOf(at, 'from')} and area < ${spanOf(at, 'to')}
            and created_at > ${param.integer(({ dayAgo }) => dayAgo)})`,
      ]);
      return sql`select ${sql.join(parts.flat())}`;
    },
    { single: true },
  );
}

function countStatement(spans: number): HotStatement<CountValues, CountRow> {
  return hotRead(`count_areas_${String(spans)}`, (param) => {
    const spanOf = (at: number, edge: keyof AreaSpan): RawBuilder<string> =>
      param(({ spans }) => spans[at]?.[edge] ?? '');
    const caller = (): RawBuilder<string> => param((values) => values.caller);
    const hourAgo = (): RawBuilder<number> => param.integer((values) => values.hourAgo);
    const parts = Array.from(
      { length: spans },
      (_, at) => sql`select ${sql.lit(at)}, count(*), count(distinct recipient),
          count(case when created_at > ${hourAgo()} then 1 end),
          count(distinct case when created_at > ${hourAgo()} then recipient end)
        from messages
        where area >= ${spanOf(at, 'from')} and area < ${spanOf(at, 'to')}
          and created_at > ${param.integer(({ dayAgo }) => dayAgo)} and coalesce(caller, '') = ${caller()}`,
    );
    return sql`${sql.join(parts, sql` union all `)}`;
  });
}

/** Returns a row only for the first to block an area that is not blocked yet. */
const BLOCK = hotWrite<BlockedArea, readonly [area: string]>(
  'block_area',
  (param) => sql`insert into blocked_areas (area, caller, blocked_from, blocked_until, codes)
    values (${param(({ area }) => area)}, ${param(({ caller }) => caller)},
      ${param.integer(({ blockedFrom }) => blockedFrom)},
      ${param.integer(({ blockedUntil }) => blockedUntil)}, ${param.integer(({ codes }) => codes)})
    on conflict (area, caller) do update set blocked_from = excluded.blocked_from,
      blocked_until = excluded.blocked_until, codes = excluded.codes
    where blocked_areas.blocked_until <= excluded.blocked_from
      or blocked_areas.blocked_until > excluded.blocked_until
    returning area`,
);

/** Destinations of codes; to be counted in the transaction that stores the next code. */
export class CodeTraffic extends Repository {
  /** Returns block and number of codes of some spans of areas, which is enough for nearly every code. */
  async glance(values: CountValues): Promise<readonly AreaGlance[]> {
    const [row = []] = await this.connection.rows(statementsFor(values).glance, values);
    return values.spans.map((_, at) => ({ blockedUntil: row[2 * at] ?? 0, codes: row[2 * at + 1] ?? 0 }));
  }

  /** Counts the codes that a caller sent to some spans of areas in the last day and hour. */
  async count(values: CountValues): Promise<readonly AreaCount[]> {
    const rows = await this.connection.rows(statementsFor(values).count, values);
    return rows
      .toSorted(([one], [other]) => one - other)
      .map(([, codesOfDay, phonesOfDay, codesOfHour, phonesOfHour]) => ({
        ofDay: { codes: codesOfDay, phones: phonesOfDay },
        ofHour: { codes: codesOfHour, phones: phonesOfHour },
      }));
  }

  /** @returns false if it was blocked already */
  async block(area: BlockedArea): Promise<boolean> {
    return (await this.connection.rows(BLOCK, area)).length > 0;
  }

  /** Lists the blocks in force at a moment or since. */
  async blockedSince(moment: number): Promise<readonly BlockedArea[]> {
    const rows = await this.connection.kysely
      .selectFrom('blocked_areas')
      .selectAll()
      .where('blocked_until', '>', moment)
      .orderBy('blocked_from', 'desc')
      .execute();
    return rows.map(({ area, caller, codes, ...row }) => ({
      area,
      caller,
      codes,
      blockedFrom: row.blocked_from,
      blockedUntil: row.blocked_until,
    }));
  }

  /**
   * Returns the number of codes by destination, from the daily counts.
   *
   * @param sinceDay - first counted day, in days since 1970 UTC
   * @param minOfRange - ranges of numbers with fewer codes are left out
   */
  async past(sinceDay: number, minOfRange: number): Promise<readonly PastTraffic[]> {
    const counted = sql<number | string>`sum(case when day >= ${sinceDay} then codes else 0 end)`;
    const rows = await this.connection.kysely
      .selectFrom('code_traffic')
      .select(['caller', 'area', counted.as('codes')])
      .groupBy(['caller', 'area'])
      .having((having) => having.or([having('area', 'not like', '%:%'), having(counted, '>=', minOfRange)]))
      .execute();
    // PostgreSQL returns the sum of integers as text.
    return rows.map(({ caller, area, codes }) => ({ caller, area, codes: Number(codes) }));
  }

  /** Counts the codes that each caller sent to a span of areas since a moment. */
  async byCaller({ from, to }: AreaSpan, since: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.connection.kysely
      .selectFrom('messages')
      .select(({ fn }) => ['caller', fn.countAll<number>().as('codes')])
      .where('area', '>=', from)
      .where('area', '<', to)
      .where('created_at', '>', since)
      .groupBy('caller')
      .execute();
    return new Map(rows.map(({ caller, codes }) => [caller ?? '', codes]));
  }
}
