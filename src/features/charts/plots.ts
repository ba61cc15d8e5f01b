import { html, type Html, NOTHING } from '../../support/html';
import { timePart } from '../../admin/console/console-page';
import type { Words } from '../../admin/texts/words';

/** A plot with its table: the script draws the table's numbers, and people without the plot read them. */
export interface Plot {
  readonly id: string;
  readonly title: string;
  /** Unit of the numbers: `messages`. */
  readonly unit: string;
  readonly columns: readonly PlotColumn[];
  readonly rows: readonly PlotRow[];
  readonly drawing: 'bars' | 'points';
}

export interface PlotColumn {
  readonly name: string;
  /** True for failures, which are red. */
  readonly isBad?: boolean;
}

export interface PlotRow {
  /** Start of the row's time, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** Value of each column; undefined for none. */
  readonly values: readonly (number | undefined)[];
  /** Page with details of the row. */
  readonly link?: string;
}

/** Colours of the style sheet. */
const CALM_COLORS = [1, 3, 5, 6, 8, 9, 10, 11];
const BAD_COLORS = [2, 4, 7, 12];

/** Returns a colour for each column; `bounded` makes sure that there are enough. */
function assignColors(columns: readonly PlotColumn[]): readonly number[] {
  const left = { calm: [...CALM_COLORS], bad: [...BAD_COLORS] };
  return columns.map(({ isBad = false }) => left[isBad ? 'bad' : 'calm'].shift() ?? 1);
}

/** Puts the smallest columns into one where there are more of a kind than colours. */
function bounded({ columns, rows, drawing }: Plot, words: Words): Pick<Plot, 'columns' | 'rows'> {
  if (drawing === 'points') return { columns, rows };
  const sums = columns.map((_, at) => rows.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const kept = [false, true].map((isBad) => {
    const { length } = isBad ? BAD_COLORS : CALM_COLORS;
    const own = columns.flatMap((column, at) => ((column.isBad ?? false) === isBad ? [at] : []));
    const largest = [...own].sort((one, other) => (sums[other] ?? 0) - (sums[one] ?? 0));
    const shown = own.length <= length ? own : largest.slice(0, length - 1).sort((one, other) => one - other);
    return { isBad, shown, rest: own.filter((at) => !shown.includes(at)) };
  });
  const shown = kept.flatMap((each) => each.shown).sort((one, other) => one - other);
  const rests = kept.filter(({ rest }) => rest.length > 0);
  return {
    columns: [
      ...shown.flatMap((at) => columns[at] ?? []),
      ...rests.map(({ isBad }) => ({ name: words.t(isBad ? 'other failures' : 'others'), isBad })),
    ],
    rows: rows.map((row) => ({
      ...row,
      values: [
        ...shown.map((at) => row.values[at]),
        ...rests.map(({ rest }) => rest.reduce((sum, at) => sum + (row.values[at] ?? 0), 0)),
      ],
    })),
  };
}

/** Returns the plot, with its table collapsed below. */
export function plotPart(plot: Plot, words: Words): Html {
  const { id, title, unit, drawing } = plot;
  const { columns, rows } = bounded(plot, words);
  if (columns.length === 0) return html`<p class="quiet">${words.t('No data in this period.')}</p>\n`;
  const colors = assignColors(columns);
  const head = columns.map(
    ({ name }, at) => html`<th scope="col" class="number" data-color="${String(colors[at])}">${name}</th>`,
  );
  const body = rows.map(({ at, values, link }) => {
    const when = timePart(at, words);
    const cells = values.map(
      (value) =>
        html`<td class="number" data-value="${value === undefined ? '' : String(value)}">\
${value === undefined ? '–' : words.number(value)}</td>`,
    );
    return html`<tr${link === undefined ? NOTHING : html` data-href="${link}"`}><th scope="row">\
${link === undefined ? when : html`<a href="${link}">${when}</a>`}</th>${cells}</tr>\n`;
  });
  return html`<section class="card plot" aria-labelledby="${id}-title"><h3 id="${id}-title">\
${title} <span class="quiet">(${unit})</span></h3>
<figure data-plot="${id}" data-drawing="${drawing}"><div class="drawing" aria-hidden="true"></div>
<details data-name="${id}"><summary>${words.t('{title} as a table', { title })}</summary>
<div class="scroll" role="region" aria-label="${title}" tabindex="0">
<table class="list" id="${id}" aria-label="${title}">
<thead><tr><th scope="col">${words.t('Time')}</th>${head}</tr></thead>
<tbody>
${body}</tbody>
</table></div>
</details></figure>
</section>
`;
}

/** States of messages that count as failures. */
export const BAD_STATES: readonly string[] = ['failed', 'expired'];
