import { type Content, html, type Html, NOTHING } from '../../asmx';
import type { TimeText } from './time-text';

/** A point in time, for people and for programs. */
export function timePart(time: number, text: TimeText): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${text.of(time)}</time>`;
}

export interface TableOf<Row> {
  /** For those who do not see the page. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What is said where there are no rows. */
  readonly none: string;
}

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => Content;
  /** `narrow` columns stand on telephones, too; numbers to the right. */
  readonly kind?: 'wide' | 'number' | 'wide number';
}

/** A table that scrolls by itself where a screen is too narrow; the first column names the row. */
export function table<Row>({ label, rows, columns, none }: TableOf<Row>): Html {
  if (rows.length === 0) return html`<p class="quiet">${none}</p>\n`;
  const head = columns.map(({ name, kind }) => html`<th scope="col"${classOf(kind)}>${name}</th>`);
  const body = rows.map((row) => {
    const cells = columns.map(({ cell, kind }, at) =>
      at === 0
        ? html`<th scope="row"${classOf(kind)}>${cell(row)}</th>`
        : html`<td${classOf(kind)}>${cell(row)}</td>`,
    );
    return html`<tr>${cells}</tr>\n`;
  });
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="list" aria-label="${label}">
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody>
</table></div>
`;
}

function classOf(kind: string | undefined): Html {
  return kind === undefined ? NOTHING : html` class="${kind}"`;
}

/** Names with what is to be said of them. */
export function facts(label: string, rows: readonly (readonly [name: string, value: Content])[]): Html {
  const body = rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`);
  return html`<table class="facts" aria-label="${label}"><tbody>
${body}</tbody></table>
`;
}

/** What kind of end a state is, for its colour; the word itself says it, too. */
const STATE_KINDS: Readonly<Record<string, string>> = {
  sent: 'good',
  partly: 'warn',
  failed: 'bad',
  expired: 'bad',
  suppressed: 'quiet',
};

export function statePart(state: string): Html {
  return html`<span class="state ${STATE_KINDS[state] ?? 'waiting'}">${state}</span>`;
}

/** A part of a page that comes again over the page's stream. */
export function livePart(id: string, content: Html): Html {
  return html`<div id="${id}" data-part>${content}</div>\n`;
}

/** What a form sends without showing it. */
export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): readonly Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value ?? ''}">`,
  );
}
