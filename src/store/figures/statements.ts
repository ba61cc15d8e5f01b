import { sql } from 'kysely';

import type { HotStatement } from '../engine';

interface SpanValues {
  readonly step: string;
  readonly stepMs: number;
  readonly from: number;
  readonly to: number;
}

export type FigureRow = readonly [
  at: number,
  figure: string,
  first: string,
  second: string,
  third: string,
  counted: number,
];

/** By the key of the table alone. */
export const FIGURES_OF_SPAN: HotStatement<SpanValues, FigureRow> = {
  name: 'figures_of_span',
  kind: 'read',
  build: (_db, param) => sql`select at - at % ${param.integer(({ stepMs }) => stepMs)} as point,
      figure, first, second, third, cast(sum(counted) as bigint)
    from figures where step = ${param(({ step }) => step)}
      and at >= ${param.integer(({ from }) => from)} and at < ${param.integer(({ to }) => to)}
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
};
