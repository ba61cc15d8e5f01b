import { type RawBuilder, sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { HotStatement } from '../engine/hot-statement';

/** Areas from one (included) to another (not included), in the order of their characters. */
export interface AreaSpan {
  readonly from: string;
  readonly to: string;
}

/** What is soon known of a span of areas. */
interface AreaGlance {
  /** Until when it is held for the caller, in milliseconds since 1970 UTC; 0 where it never was. */
  readonly heldUntil: number;
  /** Codes that all callers had sent there in the last day. */
  readonly codes: number;
}

/** What a caller had sent to the areas of a span. */
export interface AreaCount {
  readonly ofDay: { readonly codes: number; readonly phones: number };
  readonly ofHour: { readonly codes: number; readonly phones: number };
}

/** More codes went to a span of areas than usual. Points in time are milliseconds since 1970 UTC. */
export interface HeldArea {
  /** The span's beginning. */
  readonly area: string;
  /** Empty for all callers that are not known. */
  readonly caller: string;
  readonly heldFrom: number;
  readonly heldUntil: number;
  /** What had gone there. */
  readonly codes: number;
}

/** What went to a country, or to a range of its numbers, in the days before. */
export interface PastTraffic {
  readonly caller: string;
  readonly area: string;
  /** In the days that count; 0 where all codes are older. */
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
  if (statements === undefined) throw new Error('There are no statements for so many spans');
  return statements;
}

/** Of all callers, and without telling telephones apart: a fifth of the cost of counting. */
function glanceStatement(spans: number): HotStatement<CountValues, readonly (number | null)[]> {
  return {
    name: `glance_at_areas_${String(spans)}`,
    kind: 'read',
    single: true,
    build: (_db, param) => {
      const spanOf = (at: number, edge: keyof AreaSpan): RawBuilder<string> =>
        param((values) => values.spans[at]?.[edge] ?? '');
      const parts = Array.from({ length: spans }, (_, at) => [
        sql`(select held_until from held_areas
          where area = ${spanOf(at, 'from')} and caller = ${param(({ caller }) => caller)})`,
        sql`(select count(*) from messages
          where area >= ${spanOf(at, 'from')} and area < ${spanOf(at, 'to')}
            and created_at > ${param.integer(({ dayAgo }) => dayAgo)})`,
      ]);
      return sql`select ${sql.join(parts.flat())}`;
    },
  };
}

function countStatement(spans: number): HotStatement<CountValues, CountRow> {
  return {
    name: `count_areas_${String(spans)}`,
    kind: 'read',
    build: (_db, param) => {
      const spanOf = (at: number, edge: keyof AreaSpan): RawBuilder<string> =>
        param(({ spans }) => spans[at]?.[edge] ?? '');
      const caller = (): RawBuilder<string> => param((values) => values.caller);
      const hourAgo = (): RawBuilder<number> => param.integer((values) => values.hourAgo);
      const parts = Array.from(
        { length: spans },
        (
          _,
          at,
        ) => sql`select ${sql.lit(at)}, count(*), count(distinct recipient), count(case when created_at > ${hourAgo()} then 1 end),
          count(distinct case when created_at > ${hourAgo()} then recipient end)
        from messages
        where area >= ${spanOf(at, 'from')} and area < ${spanOf(at, 'to')}
          and created_at > ${param.integer(({ dayAgo }) => dayAgo)} and coalesce(caller, '') = ${caller()}`,
      );
      return sql`${sql.join(parts, sql` union all `)}`;
    },
  };
}

/** Only where it is not held already: whoever holds it first is told so. */
const HOLD: HotStatement<HeldArea, readonly [area: string]> = {
  name: 'hold_area',
  kind: 'write',
  build: (_db, param) => sql`insert into held_areas (area, caller, held_from, held_until, codes)
    values (${param(({ area }) => area)}, ${param(({ caller }) => caller)},
      ${param.integer(({ heldFrom }) => heldFrom)}, ${param.integer(({ heldUntil }) => heldUntil)}, ${param.integer(({ codes }) => codes)})
    on conflict (area, caller) do update set held_from = excluded.held_from,
      held_until = excluded.held_until, codes = excluded.codes
    where held_areas.held_until <= excluded.held_from or held_areas.held_until > excluded.held_until
    returning area`,
};

/** Where codes go; the last day's to be counted in the transaction that stores the next one. */
export class CodeTraffic {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** What is held of some spans of areas, and how much went to each: all that nearly every code needs. */
  async glance(values: CountValues): Promise<readonly AreaGlance[]> {
    const [row = []] = await this.#connection.rows(statementsFor(values).glance, values);
    return values.spans.map((_, at) => ({ heldUntil: row[2 * at] ?? 0, codes: row[2 * at + 1] ?? 0 }));
  }

  /** What a caller sent to each of some spans of areas in the last day and hour. */
  async count(values: CountValues): Promise<readonly AreaCount[]> {
    const rows = await this.#connection.rows(statementsFor(values).count, values);
    return rows
      .toSorted(([one], [other]) => one - other)
      .map(([, codesOfDay, phonesOfDay, codesOfHour, phonesOfHour]) => ({
        ofDay: { codes: codesOfDay, phones: phonesOfDay },
        ofHour: { codes: codesOfHour, phones: phonesOfHour },
      }));
  }

  /** @returns false where it was held already, by whoever it was */
  async hold(held: HeldArea): Promise<boolean> {
    return (await this.#connection.rows(HOLD, held)).length > 0;
  }

  /** What is held at a moment, or was since. */
  async heldSince(moment: number): Promise<readonly HeldArea[]> {
    const rows = await this.#connection.kysely
      .selectFrom('held_areas')
      .selectAll()
      .where('held_until', '>', moment)
      .orderBy('held_from', 'desc')
      .execute();
    return rows.map(({ area, caller, codes, ...row }) => ({
      area,
      caller,
      codes,
      heldFrom: row.held_from,
      heldUntil: row.held_until,
    }));
  }

  /**
   * What went where, of what has been counted by day.
   *
   * @param sinceDay - from when codes count, in days since 1970 UTC
   * @param leastOfRange - ranges of numbers to which fewer codes went are left out
   */
  async past(sinceDay: number, leastOfRange: number): Promise<readonly PastTraffic[]> {
    const counted = sql<number | string>`sum(case when day >= ${sinceDay} then codes else 0 end)`;
    const rows = await this.#connection.kysely
      .selectFrom('code_traffic')
      .select(['caller', 'area', counted.as('codes')])
      .groupBy(['caller', 'area'])
      .having((having) => having.or([having('area', 'not like', '%:%'), having(counted, '>=', leastOfRange)]))
      .execute();
    // PostgreSQL's sum of whole numbers is a text.
    return rows.map(({ caller, area, codes }) => ({ caller, area, codes: Number(codes) }));
  }

  /** How many codes each caller sent since a moment to the areas of a span. */
  async byCaller({ from, to }: AreaSpan, since: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#connection.kysely
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
