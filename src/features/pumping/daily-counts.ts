import { sql } from 'kysely';

import { type Connection, hotWrite } from '../../store/statements';
import { DAY_MS } from '../../support/durations';
import type { Feature } from '../feature';
import { USUAL_DAYS } from './usual-traffic';

/** A country without codes for longer counts as new. */
const COUNTRY_DAYS = 400;

interface DayCount {
  readonly caller: string;
  readonly area: string;
  readonly day: number;
  codes: number;
}

const COUNT_TRAFFIC = hotWrite<DayCount, readonly []>(
  'count_traffic',
  (param) => sql`insert into code_traffic (caller, area, day, codes)
    values (${param(({ caller }) => caller)}, ${param(({ area }) => area)},
      ${param.integer(({ day }) => day)}, ${param.integer(({ codes }) => codes)})
    on conflict (area, caller, day) do update set codes = code_traffic.codes + excluded.codes`,
);

/** Counts codes by day and destination, in the transaction that masks their numbers. */
export const countMasked: Required<Feature>['countMasked'] = async (connection, masked) => {
  const counts = new Map<string, DayCount>();
  for (const { caller, area, createdAt } of masked) {
    for (const each of countedAs(area)) {
      const day = Math.floor(createdAt / DAY_MS);
      const count = { caller, area: each, day, codes: 0 };
      const key = JSON.stringify(count);
      counts.set(key, { ...count, codes: (counts.get(key)?.codes ?? 0) + 1 });
    }
  }
  // The same order everywhere prevents deadlocks.
  for (const [, count] of [...counts].toSorted()) await connection.rows(COUNT_TRAFFIC, count);
};

/** Returns the country and the range of numbers of an area such as `h:TR:555111`. */
function countedAs(area: string): readonly string[] {
  const [, country = '', range = ''] = area.split(':');
  return [country, `${country}:${range}`];
}

/** Removes counts and blocks that are too old to be of use. */
export async function removeOutdated({ kysely }: Connection, now: number): Promise<void> {
  const today = Math.floor(now / DAY_MS);
  await kysely
    .deleteFrom('code_traffic')
    .where('day', '<', today - USUAL_DAYS)
    .where((where) => where.or([where('day', '<', today - COUNTRY_DAYS), where('area', 'like', '%:%')]))
    .execute();
  await kysely
    .deleteFrom('blocked_areas')
    .where('blocked_until', '<', now - USUAL_DAYS * DAY_MS)
    .execute();
}
