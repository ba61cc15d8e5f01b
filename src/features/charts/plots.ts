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
const CALM_COLORS = [1, 3, 5, 6, 8];
const BAD_COLORS = [2, 4, 7];

function assignColors(columns: readonly PlotColumn[]): readonly number[] {
  const taken = { good: 0, bad: 0 };
  return columns.map(({ isBad = false }) => {
    const colors = isBad ? BAD_COLORS : CALM_COLORS;
    return colors[taken[isBad ? 'bad' : 'good']++ % colors.length] ?? 1;
  });
}

/** Returns the plot, with its table collapsed below. */
export function plotPart({ id, title, unit, columns, rows, drawing }: Plot, words: Words): Html {
  if (columns.length === 0) return html`<p class="quiet">${words.t('No data in this period.')}</p>\n`;
  const colors = assignColors(columns);
  const head = columns.map(
    ({ name }, at) => html`<th scope="col" class="number" data-color="${String(colors[at])}">${name}</th>`,
  );
  const body = rows.map(({ at, values, link }) => {
    const when = timePart(at, words);
    const cells = values.map(
      (value) =>
        html`<td class="number" data-value="${value === undefined ? '' : String(value)}">${value === undefined ? '–' : words.number(value)}</td>`,
    );
    return html`<tr${link === undefined ? NOTHING : html` data-href="${link}"`}><th scope="row">${link === undefined ? when : html`<a href="${link}">${when}</a>`}</th>${cells}</tr>\n`;
  });
  return html`<section class="card plot" aria-labelledby="${id}-title"><h3 id="${id}-title">${title} <span class="quiet">(${unit})</span></h3>
<figure data-plot="${id}" data-drawing="${drawing}"><div class="drawing" aria-hidden="true"></div>
<details data-name="${id}"><summary>${words.t('{title} as a table', { title })}</summary>
<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table class="list" id="${id}" aria-label="${title}">
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
