import { create } from 'xmlbuilder2';

import { counted, numberText, shown, textTable } from '../../support/text';
import { isFailing } from '../verdict/verdict';
import type { DifferenceGroup, Findings, ComparisonCounts } from './findings';
import { COUNT_COLUMNS, differenceText, operationText, outcomeText, type Report } from './report';

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

type Element = ReturnType<typeof create>;

/**
 * Returns the report as JUnit XML, for build servers: a suite for each operation and binding, with a case for the equal
 * pairs, a failing one for each kind of finding, and a skipped one for each intended difference.
 */
export function junitReport({ old, ours, startedAt, seconds, findings }: Report): string {
  const suites = findings.counts.map((row) => ({
    row,
    groups: findings.groups.filter(
      ({ operation, binding, level, known }) =>
        operation === row.operation && binding === row.binding && (level !== 'xml' || known !== undefined),
    ),
  }));
  const all = suites.flatMap(({ groups }) => groups);
  const root = create({ version: '1.0', encoding: 'UTF-8' }).ele('testsuites', {
    name: plain(`${old} and ${ours}`),
    tests: suites.length + all.length,
    failures: all.filter(isFailing).length,
    time: seconds.toFixed(3),
  });
  for (const { row, groups } of suites) addSuite(root, row, groups, startedAt);
  return `${root.end({ prettyPrint: true })}\n`;
}

function addSuite(
  root: Element,
  row: ComparisonCounts,
  groups: readonly DifferenceGroup[],
  startedAt: string,
): void {
  const failures = groups.filter(isFailing).length;
  const name = plain([operationText(row), row.binding].join(' ').trim());
  const counts = { tests: groups.length + 1, failures, skipped: groups.length - failures };
  const suite = root.ele('testsuite', { name, ...counts, timestamp: startedAt });
  suite.ele('testcase', {
    classname: name,
    name: `${counted(row.pairs - row.failed, 'comparison')} without differences`,
  });
  for (const group of groups) addCase(suite, name, group);
}

function addCase(suite: Element, classname: string, group: DifferenceGroup): void {
  const { known, old, ours, count, example } = group;
  const found = suite.ele('testcase', { classname, name: plain(differenceText(group)) });
  const values = [
    ...(old === undefined ? [] : [`old: ${old}`]),
    ...(ours === undefined ? [] : [`new: ${ours}`]),
    ...(example.source === undefined ? [] : [`as in ${example.source}`]),
    example.curl,
  ];
  if (known === undefined)
    found.ele('failure', { message: `in ${counted(count, 'comparison')}` }).txt(plain(values.join('\n')));
  else found.ele('skipped', { message: plain(known) });
}

/** Escapes a text for xmlbuilder2, which takes `&name;` for a reference, and writes characters that XML forbids. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r -\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll('&', '&amp;');
}
