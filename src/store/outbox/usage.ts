import { type RawBuilder, sql } from 'kysely';

import type { Connection, HotStatement } from '../engine';
import { type Calendar, dayAfter } from './calendar';
import { type MessageChannel, OF_TELEPHONES } from './channels';
import { firstMessageId } from './message-id';
import type { MessageState } from './messages';

/** What else the messages of a day are told apart by, beside channel, state and country. */
export type UsageName = 'school' | 'caller' | 'nothing';

/** So many messages of a day are alike. */
export interface UsageCount {
  readonly channel: MessageChannel;
  readonly state: MessageState;
  /**
   * Of a code: the country as ISO 3166 names it, or its calling code behind a plus where several countries share that;
   * of one from before version 9 of the schema the first two digits behind a plus. Empty where nobody knows, and for
   * everything else.
   */
  readonly country: string;
  /** The school's URL or the caller's name, whichever was asked for; empty where there is none. */
  readonly name: string;
  readonly messages: number;
  /** As how many SMS they were sent. */
  readonly parts: number;
}

interface DayValues {
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

type CountRow = readonly [
  channel: string,
  state: string,
  country: string,
  name: string,
  messages: number,
  parts: number,
];

/** Of a message. Older ones have no country, and a number of which the beginning is left. */
export const COUNTED_COUNTRY = sql<string>`coalesce(country,
  case when ${OF_TELEPHONES} and recipient like '+%' then substr(recipient, 1, 3) else '' end)`;

/** One statement, so that a message that is removed meanwhile is counted in one of the two tables. */
export const USAGE_OF_DAY: Readonly<Record<UsageName, HotStatement<DayValues, CountRow>>> = {
  school: usageOfDay('usage_by_school', sql`school`, sql`school`),
  caller: usageOfDay('usage_by_caller', sql`coalesce(caller, '')`, sql`caller`),
  nothing: usageOfDay('usage', sql`''`, sql`''`),
};

function usageOfDay(
  name: string,
  ofMessage: RawBuilder<unknown>,
  ofCounted: RawBuilder<unknown>,
): HotStatement<DayValues, CountRow> {
  return {
    name: `${name}_of_day`,
    kind: 'read',
    build: (_db, param) => sql`select channel, state, country, name,
        cast(sum(messages) as bigint), cast(sum(parts) as bigint)
      from (
        select channel, state, ${COUNTED_COUNTRY} as country, ${ofMessage} as name,
            count(*) as messages, coalesce(sum(parts), 0) as parts
          from messages where id >= ${param(({ from }) => from)} and id < ${param(({ to }) => to)}
          group by 1, 2, 3, 4
        union all
        select channel, state, country, ${ofCounted} as name, messages, parts
          from daily_usage where day = ${param(({ day }) => day)}
      ) as counts
      group by channel, state, country, name order by channel, state, country, name`,
  };
}

/** How many messages were taken on. */
export class Usage {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The messages that were taken on at a day, those that are there and those that were removed.
   *
   * @param calendar - the one by which they are counted when they are removed
   */
  async ofDay(calendar: Calendar, day: string, name: UsageName): Promise<readonly UsageCount[]> {
    const rows = await this.#connection.rows(USAGE_OF_DAY[name], {
      day,
      from: firstMessageId(calendar.startOf(day)),
      to: firstMessageId(calendar.startOf(dayAfter(day))),
    });
    return rows.map(([channel, state, country, name, messages, parts]) => ({
      // Only this program writes these two columns, from these types.
      channel: channel as MessageChannel,
      state: state as MessageState,
      ...{ country, name, messages, parts },
    }));
  }
}
