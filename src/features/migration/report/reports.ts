import { counted, numberText, shown, textTable } from '../../../support/text';
import { isFailing } from '../verdict/verdict';
import type { DifferenceGroup, Findings } from './findings';
import { COUNT_COLUMNS, differenceText, operationText, outcomeText, type Report } from './report';
import { type Content, type Html, html, NOTHING } from '../../../support/html';
import { htmlDocument, STYLE_SHEET, styleElement } from '../../../support/html-page';

/** Maximum number of groups shown on a terminal. */
const MAX_SHOWN_GROUPS = 25;

/** Returns the report for a terminal: counts, failures with an example each, and intended differences. */
export function textReport({ old, ours, notes, findings }: Report): string {
  const failing = findings.groups.filter(isFailing);
  const rest = failing.length - MAX_SHOWN_GROUPS;
  return [
    shown(`${old} and ${ours}: ${outcomeText(findings)}`),
    ...notes.map(shown),
    ...(findings.counts.length === 0 ? [] : ['', countTable(findings)]),
    ...failing.slice(0, MAX_SHOWN_GROUPS).flatMap((group) => ['', ...groupLines(group)]),
    ...(rest > 0
      ? [
          '',
          `${counted(rest, 'more kind', 'more kinds')} of differences; the HTML and JSON reports list all.`,
        ]
      : []),
    ...(findings.others > 0 ? ['', `${counted(findings.others, 'difference')} not in this report.`] : []),
    ...knownLines(findings),
    '',
  ].join('\n');
}

function countTable({ counts }: Findings): string {
  return textTable(
    ['operation', 'binding', ...COUNT_COLUMNS.map(([name]) => name)],
    counts.map((row) => [
      operationText(row),
      row.binding,
      ...COUNT_COLUMNS.map(([, value]) => numberText(value(row))),
    ]),
  );
}

function groupLines(group: DifferenceGroup): readonly string[] {
  const { binding, count, old, ours, example } = group;
  const lines = [
    `${[operationText(group), ...(binding === '' ? [] : [binding])].join(', ')}: ${differenceText(group)} (${counted(count, 'comparison')})`,
    ...(old === undefined ? [] : [`  old   ${old}`]),
    ...(ours === undefined ? [] : [`  new   ${ours}`]),
    ...(example.source === undefined ? [] : [`  as in ${example.source}`]),
    `  ${example.curl}`,
  ];
  return lines.map(shown);
}

/** Returns a line for each reason of intended differences. */
function knownLines({ groups }: Findings): readonly string[] {
  const counts = new Map<string, number>();
  for (const { known, count } of groups)
    if (known !== undefined) counts.set(known, (counts.get(known) ?? 0) + count);
  if (counts.size === 0) return [];
  const lines = [...counts].map(([reason, count]) => shown(`  ${counted(count, 'time')}: ${reason}`));
  return ['', 'Known differences:', ...lines];
}

// In addition to the style sheet of all pages.
const STYLE = `
.scroll { overflow-x: auto; }
td.number, th.number { text-align: right; padding-right: 0; padding-left: .75rem; \
font-variant-numeric: tabular-nums; }
tbody th { width: auto; }
.values { display: grid; grid-template-columns: auto 1fr; gap: .1rem .75rem; margin: .5rem 0; }
.values dt { color: var(--quiet); } .values dd { margin: 0; white-space: pre-wrap; }
summary { cursor: pointer; }
`;

/** Allows inline style sheets in a page that is read from a file. */
const POLICY = html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; img-src data:">
`;

/** Returns the report as one self-contained page, so that the file can be sent to anyone. */
export function htmlReport(report: Report): string {
  const { old, ours, startedAt, seconds, notes, findings } = report;
  const [failing, rest] = [
    findings.groups.filter(isFailing),
    findings.groups.filter((group) => !isFailing(group)),
  ];
  const title = `${old} and ${ours}`;
  return htmlDocument({
    language: 'en',
    title,
    head: [POLICY, styleElement(STYLE_SHEET.text + STYLE)],
    body: html`<main>
<h1>Old and new responses</h1>
<p>Old server: <code>${old}</code>. New server: <code>${ours}</code>.</p>
<p class="${findings.failed > 0 ? 'bad' : 'good'}">${outcomeText(findings)}</p>
<p class="quiet">Begun <time datetime="${startedAt}">\
${startedAt}</time>, ended after ${counted(Math.round(seconds), 'second')}.
Personal data is masked: letters are shown as x, digits as 9.</p>
${notes.map((note) => html`<p>${note}</p>\n`)}<h2>By operation</h2>
${countPart(findings)}<h2>To look into</h2>
${failing.length === 0 ? html`<p>Nothing.</p>\n` : failing.map(groupCard)}${othersPart(findings)}\
${restPart(rest)}</main>
`,
  });
}

function countPart({ counts }: Findings): Html {
  if (counts.length === 0) return html`<p>Nothing was compared.</p>\n`;
  const head = COUNT_COLUMNS.map(([name]) => html`<th scope="col" class="number">${name}</th>`);
  const rows = counts.map((row) => {
    const cells = COUNT_COLUMNS.map(([, value]) => html`<td class="number">${numberText(value(row))}</td>`);
    return html`<tr><th scope="row">${operationText(row)}</th><td>${row.binding}</td>${cells}</tr>\n`;
  });
  return html`<div class="scroll" role="region" aria-label="Comparisons by operation" tabindex="0"><table>
<thead><tr><th scope="col">operation</th><th scope="col">binding</th>${head}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
}

function groupCard(group: DifferenceGroup): Html {
  const { binding, count, old, ours, known, example } = group;
  const values: readonly (readonly [string, string | undefined])[] = [
    ['old', old],
    ['new', ours],
    ['as in', example.source],
    ['why', known],
  ];
  const list = values.flatMap(([name, value]): Content[] =>
    value === undefined ? [] : [html`<dt>${name}</dt><dd><code>${value}</code></dd>\n`],
  );
  return html`<section class="card">
<h3>${operationText(group)}${binding === '' ? NOTHING : html` <span class="quiet">${binding}</span>`}</h3>
<p>${differenceText(group)} <span class="quiet">(${counted(count, 'comparison')})</span></p>
${list.length === 0 ? NOTHING : html`<dl class="values">\n${list}</dl>\n`}\
<pre tabindex="0" role="group" aria-label="With curl">${example.curl}</pre>
</section>
`;
}

function othersPart({ others }: Findings): Html {
  if (others === 0) return NOTHING;
  return html`<p>${counted(others, 'difference')} are not in this report.</p>\n`;
}

function restPart(groups: readonly DifferenceGroup[]): Html {
  if (groups.length === 0) return NOTHING;
  return html`<h2>Known or harmless differences</h2>
<details>
<summary>${counted(groups.length, 'kind')} of harmless difference</summary>
${groups.map(groupCard)}</details>
`;
}
