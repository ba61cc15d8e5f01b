import { create } from 'xmlbuilder2';

import { counted } from '../../support/text';
import { isFailing } from '../verdict';
import type { DifferenceGroup, PairCounts } from './findings';
import { differenceText, operationText, type Report } from './report';

type Element = ReturnType<typeof create>;

/**
 * The report as JUnit's XML, for build servers: a suite for each operation and binding; in it a case for the pairs
 * that are equal, one that fails for each kind of finding, one that is skipped for each that is known.
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
  row: PairCounts,
  groups: readonly DifferenceGroup[],
  startedAt: string,
): void {
  const failures = groups.filter(isFailing).length;
  const name = plain([operationText(row), row.binding].join(' ').trim());
  const counts = { tests: groups.length + 1, failures, skipped: groups.length - failures };
  const suite = root.ele('testsuite', { name, ...counts, timestamp: startedAt });
  suite.ele('testcase', {
    classname: name,
    name: `${counted(row.pairs - row.failed, 'pair')} without findings`,
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
    found.ele('failure', { message: `in ${counted(count, 'pair')}` }).txt(plain(values.join('\n')));
  else found.ele('skipped', { message: plain(known) });
}

/** xmlbuilder2 takes `&name;` for a reference, and writes characters that XML forbids. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r -\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll('&', '&amp;');
}
