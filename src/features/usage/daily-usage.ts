import { setImmediate as nextTurn } from 'node:timers/promises';

import { type RawBuilder, sql } from 'kysely';

import type { MessageChannel, MessageState } from '../../store';
import {
  firstMessageId,
  hotRead,
  type HotStatement,
  OF_TELEPHONES,
  Repository,
} from '../../store/statements';
import { type Calendar, dayAfter } from '../../support/calendar';

/** Length of the parts in which SQLite counts a day. */
const PART_MS = 30 * 60_000;
/** Additional grouping of a day's messages, besides channel, state, country and gateway. */
export type UsageName = 'school' | 'caller' | 'nothing';

/** Number of messages of a day with equal properties. */
export interface UsageCount {
  readonly channel: MessageChannel;
  readonly state: MessageState;
  /**
   * Destination country of a code, as an ISO 3166 code, or as a calling code after a plus sign if several
   * countries share it; for codes from before version 9 of the schema, the first two digits after a plus
   * sign. Empty if not known, and for everything else.
   */
  readonly country: string;
  /** Name of the SMS gateway that was last used; empty if there was none, and for everything else. */
  readonly gateway: string;
  /** The school's URL or the caller's name, as requested; empty if there is none. */
  readonly name: string;
  readonly messages: number;
  /** Number of SMS parts sent. */
  readonly parts: number;
}

/** A day that is counted in parts. Times are milliseconds since 1970 UTC. */
interface DayParts {
  readonly day: string;
  readonly from: number;
  readonly to: number;
  readonly name: UsageName;
  readonly rest: () => Promise<unknown>;
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
  gateway: string,
  name: string,
  messages: number,
  parts: number,
];

/** Country of a message. Older ones have no country, but the beginning of their number. */
export const COUNTED_COUNTRY = sql<string>`coalesce(country,
  case when ${OF_TELEPHONES} and recipient like '+%' then substr(recipient, 1, 3) else '' end)`;

/** Gateway of a message, without the mark that it may have sent the message. */
export const COUNTED_GATEWAY = sql<string>`replace(coalesce(gateway, ''), '!', '')`;

/** A single statement, so that a message being removed is counted in exactly one of the two tables. */
const USAGE_OF_DAY: Readonly<Record<UsageName, HotStatement<DayValues, CountRow>>> = {
  school: usageOfDay('usage_by_school', sql`school`, sql`school`),
  caller: usageOfDay('usage_by_caller', sql`coalesce(caller, '')`, sql`caller`),
  nothing: usageOfDay('usage', sql`''`, sql`''`),
};

function usageOfDay(
  name: string,
  ofMessage: RawBuilder<unknown>,
  ofCounted: RawBuilder<unknown>,
): HotStatement<DayValues, CountRow> {
  return hotRead(
    `${name}_of_day`,
    (param) => sql`select channel, state, country, gateway, name,
        cast(sum(messages) as bigint), cast(sum(parts) as bigint)
      from (
        select channel, state, ${COUNTED_COUNTRY} as country, ${COUNTED_GATEWAY} as gateway,
            ${ofMessage} as name,
            count(*) as messages, coalesce(sum(parts), 0) as parts
          from messages where id >= ${param(({ from }) => from)} and id < ${param(({ to }) => to)}
          group by 1, 2, 3, 4, 5
        union all
        select channel, state, country, gateway, ${ofCounted} as name, messages, parts
          from daily_usage where day = ${param(({ day }) => day)}
      ) as counts
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
  );
}

/** Numbers of accepted messages. */
export class DailyUsage extends Repository {
  /**
   * Counts the messages accepted on a day, both existing and removed ones.
   *
   * @param calendar - the calendar under which they are counted when removed
   * @param rest - awaited between the statements that count a part of the day
   */
  async ofDay(
    calendar: Calendar,
    day: string,
    name: UsageName,
    rest: () => Promise<unknown> = nextTurn,
  ): Promise<readonly UsageCount[]> {
    const [from, to] = [calendar.startOf(day), calendar.startOf(dayAfter(day))];
    const rows =
      this.connection.engine === 'sqlite'
        ? await this.#partByPart({ day, from, to, name, rest })
        : await this.#count(name, day, from, to);
    return rows.map(([channel, state, country, gateway, name, messages, parts]) => ({
      // Only this program writes these two columns, from these types.
      channel: channel as MessageChannel,
      state: state as MessageState,
      country,
      gateway,
      name,
      messages,
      parts,
    }));
  }

  /**
   * Counts a day of SQLite, whose statements block the process, with turns for other work. What is removed
   * meanwhile could count twice: then the day is counted again.
   */
  async #partByPart(given: DayParts): Promise<readonly CountRow[]> {
    const { day, from, to, name, rest } = given;
    const removed = async (): Promise<number> =>
      (await this.#count(name, day, from, from)).reduce((sum, [, , , , , messages]) => sum + messages, 0);
    const before = await removed();
    const sums = new Map<string, CountRow>();
    for (let begin = from; begin < to; begin += PART_MS) {
      if (begin > from) await rest();
      // The statement of the first part counts the removed messages, too.
      const part = begin === from ? day : '';
      for (const row of await this.#count(name, part, begin, Math.min(begin + PART_MS, to))) {
        const [channel, state, country, gateway, named, messages, parts] = row;
        const key = JSON.stringify(row.slice(0, 5));
        const others = sums.get(key);
        sums.set(key, [
          ...([channel, state, country, gateway, named] as const),
          messages + (others?.[5] ?? 0),
          parts + (others?.[6] ?? 0),
        ]);
      }
    }
    if ((await removed()) !== before) return this.#partByPart(given);
    return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  }

  /** @param day - empty for existing messages only */
  #count(name: UsageName, day: string, from: number, to: number): Promise<readonly CountRow[]> {
    const values = { day, from: firstMessageId(from), to: firstMessageId(to) };
    return this.connection.rows(USAGE_OF_DAY[name], values);
  }
}
