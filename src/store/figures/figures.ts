import { sql } from 'kysely';

import type { Connection, Database, Engine } from '../engine';
import { addCallers, forgetCallers } from './callers';
import {
  type CallerCount,
  type Counted,
  HOUR_MS,
  HOURS_KEPT_MS,
  MINUTE_MS,
  MINUTES_KEPT_MS,
} from './counted';
import { chunked } from './chunked';
import { type FigurePoint, pointsOf } from './points';
import { FIGURES_OF_SPAN } from './statements';

/** From when to when, and how long each point is; milliseconds, the first two since 1970 UTC. */
export interface FigureSpan {
  readonly from: number;
  /** What happened at this moment or later is left out. */
  readonly to: number;
  /** Whole hours are read from what was counted by the hour, any other number of minutes from that by the minute. */
  readonly stepMs: number;
}

/** More would be no plot any more. */
const MOST_POINTS = 1500;

/** What was counted, by the minute for two days and by the hour for thirteen months; of all processes together. */
export class Figures {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Adds what was counted since the last time, in one transaction, which also takes away what is too old.
   *
   * @param now - milliseconds since 1970 UTC
   */
  add(counts: readonly Counted[], callers: readonly CallerCount[], now: number): Promise<void> {
    return this.#engine.write(async (connection) => {
      // Whoever adds to the same rows, and takes away the same: one after the other, in whichever order they come.
      await connection.lock(['figures']);
      await addCounts(connection, counts);
      await addCallers(connection, callers);
      await forgetCounts(connection, now);
      await forgetCallers(connection, now);
    });
  }

  /**
   * What was counted in a span, by steps that begin at multiples of their length since 1970 UTC: every one that is
   * partly in the span, the first one first.
   *
   * @throws RangeError for a step that is no whole number of minutes, or for more than 1,500 points
   */
  async read({ from, to, stepMs }: FigureSpan): Promise<readonly FigurePoint[]> {
    if (!(stepMs > 0) || stepMs % MINUTE_MS !== 0) throw new RangeError('A step has whole minutes.');
    const begin = Math.floor(from / stepMs) * stepMs;
    const points = Math.max(0, Math.ceil((to - begin) / stepMs));
    if (points > MOST_POINTS) throw new RangeError(`There are more than ${String(MOST_POINTS)} points.`);
    const rows = await (this.#engine.reads ?? this.#engine.direct).rows(FIGURES_OF_SPAN, {
      ...{ step: stepMs % HOUR_MS === 0 ? 'hour' : 'minute', stepMs, from: begin },
      to: begin + points * stepMs,
    });
    return pointsOf(
      Array.from({ length: points }, (_, index) => begin + index * stepMs),
      rows,
    );
  }
}

type FigureRow = Database['figures'];

const STEPS = [
  ['minute', MINUTE_MS],
  ['hour', HOUR_MS],
] as const;

async function addCounts({ kysely }: Connection, counts: readonly Counted[]): Promise<void> {
  const rows = new Map<string, FigureRow>();
  for (const { at, figure, labels, count } of counts) {
    const [first = '', second = '', third = ''] = labels;
    for (const [step, ms] of STEPS) {
      const row = { step, at: Math.floor(at / ms) * ms, figure, first, second, third };
      const key = JSON.stringify(row);
      rows.set(key, { ...row, counted: (rows.get(key)?.counted ?? 0) + count });
    }
  }
  for (const some of chunked([...rows.values()])) {
    await kysely
      .insertInto('figures')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['step', 'at', 'figure', 'first', 'second', 'third'])
          .doUpdateSet({ counted: sql`figures.counted + excluded.counted` }),
      )
      .execute();
  }
}

async function forgetCounts({ kysely }: Connection, now: number): Promise<void> {
  for (const [step, keptMs] of [
    ['minute', MINUTES_KEPT_MS],
    ['hour', HOURS_KEPT_MS],
  ] as const) {
    await kysely
      .deleteFrom('figures')
      .where('step', '=', step)
      .where('at', '<', now - keptMs)
      .execute();
  }
}
