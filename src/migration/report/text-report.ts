import { counted, numberText, shown, textTable } from '../../support/text';
import { isFailing } from '../verdict';
import type { DifferenceGroup, Findings } from './findings';
import { COUNT_COLUMNS, differenceText, operationText, outcomeText, type Report } from './report';

/** Most groups that a terminal shows. */
const MOST = 25;

/** The report for a terminal: counts, what to look into with an example each, and what is known. */
export function textReport({ old, ours, notes, findings }: Report): string {
  const failing = findings.groups.filter(isFailing);
  const rest = failing.length - MOST;
  return [
    shown(`${old} and ${ours}: ${outcomeText(findings)}`),
    ...notes.map(shown),
    ...(findings.counts.length === 0 ? [] : ['', countTable(findings)]),
    ...failing.slice(0, MOST).flatMap((group) => ['', ...groupLines(group)]),
    ...(rest > 0
      ? ['', `${numberText(rest)} more kinds of findings: the other forms of the report have all.`]
      : []),
    ...(findings.others > 0
      ? ['', `${counted(findings.others, 'difference')} found no room in the report.`]
      : []),
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
    `${[operationText(group), ...(binding === '' ? [] : [binding])].join(', ')}: ${differenceText(group)} (${counted(count, 'pair')})`,
    ...(old === undefined ? [] : [`  old   ${old}`]),
    ...(ours === undefined ? [] : [`  new   ${ours}`]),
    ...(example.source === undefined ? [] : [`  as in ${example.source}`]),
    `  ${example.curl}`,
  ];
  return lines.map(shown);
}

/** What differs on purpose: a line for each reason. */
function knownLines({ groups }: Findings): readonly string[] {
  const counts = new Map<string, number>();
  for (const { known, count } of groups)
    if (known !== undefined) counts.set(known, (counts.get(known) ?? 0) + count);
  if (counts.size === 0) return [];
  const lines = [...counts].map(([reason, count]) => shown(`  ${counted(count, 'time')}: ${reason}`));
  return ['', 'Different on purpose:', ...lines];
}
