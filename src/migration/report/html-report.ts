import { type Content, Html, html, ICON, NOTHING, STYLE_SHEET } from '../../asmx';
import { counted, numberText } from '../../support/text';
import { isFailing } from '../verdict/verdict';
import type { DifferenceGroup, Findings } from './findings';
import { COUNT_COLUMNS, differenceText, operationText, outcomeText, type Report } from './report';

// In addition to the style sheet of all pages.
const STYLE = `
.scroll { overflow-x: auto; }
td.number, th.number { text-align: right; padding-right: 0; padding-left: .75rem; font-variant-numeric: tabular-nums; }
tbody th { width: auto; }
.values { display: grid; grid-template-columns: auto 1fr; gap: .1rem .75rem; margin: .5rem 0; }
.values dt { color: var(--quiet); } .values dd { margin: 0; white-space: pre-wrap; }
summary { cursor: pointer; }
`;

/** Returns the report as one self-contained page, so that the file can be sent to anyone. */
export function htmlReport(report: Report): string {
  const { old, ours, startedAt, seconds, notes, findings } = report;
  const [failing, rest] = [
    findings.groups.filter(isFailing),
    findings.groups.filter((group) => !isFailing(group)),
  ];
  const title = `${old} and ${ours}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${new Html(STYLE_SHEET.text + STYLE)}</style>
</head>
<body>
<main>
<h1>Old and new responses</h1>
<p>Old server: <code>${old}</code>. New server: <code>${ours}</code>.</p>
<p class="${findings.failed > 0 ? 'bad' : 'good'}">${outcomeText(findings)}</p>
<p class="quiet">Begun <time datetime="${startedAt}">${startedAt}</time>, ended after ${counted(Math.round(seconds), 'second')}.
Personal data is masked: letters are shown as x, digits as 9.</p>
${notes.map((note) => html`<p>${note}</p>\n`)}<h2>By operation</h2>
${countTable(findings)}<h2>To look into</h2>
${failing.length === 0 ? html`<p>Nothing.</p>\n` : failing.map(groupCard)}${othersPart(findings)}${restPart(rest)}</main>
</body>
</html>
`.text;
}

function countTable({ counts }: Findings): Html {
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
${list.length === 0 ? NOTHING : html`<dl class="values">\n${list}</dl>\n`}<pre tabindex="0" role="group" aria-label="With curl">${example.curl}</pre>
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
