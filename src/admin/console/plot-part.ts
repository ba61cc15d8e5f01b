import { html, type Html, NOTHING } from '../../asmx';
import { numberText } from '../../support/text';
import { timePart } from './page-parts';
import type { TimeText } from './time-text';

/** A plot, told by the table behind it: that is what the script draws, and what those read who see no plots. */
export interface Plot {
  readonly id: string;
  readonly title: string;
  /** Of the numbers: `messages`. */
  readonly unit: string;
  readonly columns: readonly string[];
  readonly rows: readonly PlotRow[];
}

export interface PlotRow {
  /** When the row's time begins, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** Of each column; undefined where there is nothing to tell. */
  readonly values: readonly (number | undefined)[];
  /** Page of what is behind the row. */
  readonly link?: string;
}

/** The plot, and its table folded up below. */
export function plotPart({ id, title, unit, columns, rows }: Plot, time: TimeText): Html {
  if (columns.length === 0) {
    return html`<section class="card plot"><h3>${title}</h3><p class="quiet">There was nothing.</p></section>\n`;
  }
  const head = columns.map((name) => html`<th scope="col" class="number">${name}</th>`);
  const body = rows.map(({ at, values, link }) => {
    const when = timePart(at, time);
    const cells = values.map(
      (value) =>
        html`<td class="number" data-value="${value === undefined ? '' : String(value)}">${value === undefined ? '–' : numberText(value)}</td>`,
    );
    return html`<tr${link === undefined ? NOTHING : html` data-href="${link}"`}><th scope="row">${link === undefined ? when : html`<a href="${link}">${when}</a>`}</th>${cells}</tr>\n`;
  });
  return html`<section class="card plot" aria-labelledby="${id}-title"><h3 id="${id}-title">${title} <span class="quiet">(${unit})</span></h3>
<figure data-plot="${id}"><div class="drawing" aria-hidden="true"></div>
<details data-name="${id}"><summary>${title}: the numbers</summary>
<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table class="list" id="${id}" aria-label="${title}">
<thead><tr><th scope="col">From</th>${head}</tr></thead>
<tbody>
${body}</tbody>
</table></div>
</details></figure>
</section>
`;
}
