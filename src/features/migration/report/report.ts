import { counted, numberText } from '../../../support/text';
import type { DifferenceGroup, Findings, ComparisonCounts } from './findings';

/** A completed or interrupted comparison. */
export interface Report {
  /** Addresses of the two servers, without credentials. */
  readonly old: string;
  readonly ours: string;
  /** Start time, in ISO 8601. */
  readonly startedAt: string;
  /** Duration in seconds. */
  readonly seconds: number;
  /** Further notes, one line each: omissions, and reasons for an early end. */
  readonly notes: readonly string[];
  readonly findings: Findings;
}

export function jsonReport(report: Report): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

export function outcomeText({ pairs, failed }: Findings): string {
  if (pairs === 0) return 'Nothing was compared.';
  if (failed === 0) return `${counted(pairs, 'comparison')}: no differences.`;
  return `${counted(pairs, 'comparison')}, ${numberText(failed)} with differences.`;
}

export const COUNT_COLUMNS: readonly (readonly [name: string, value: (row: ComparisonCounts) => number])[] = [
  ['pairs', ({ pairs }) => pairs],
  ['equal bytes', ({ bytes }) => bytes],
  ['equal as XML', ({ xml }) => xml],
  ['other order', ({ order }) => order],
  ['different', ({ different }) => different],
  ['with findings', ({ failed }) => failed],
];

/** Returns the name of a row or a group: operation and binding, as far as known. */
export function operationText({ operation }: Pick<ComparisonCounts, 'operation'>): string {
  return operation === '' ? '(no operation)' : operation;
}

const HOW: Readonly<Record<DifferenceGroup['what'], string>> = {
  changed: 'different value',
  missing: 'missing',
  added: 'additional',
  order: 'in a different order',
  whitespace: 'different white space',
  namespace: 'in a different namespace',
  name: 'different name',
  malformed: 'not well-formed on one server',
  failed: 'no response',
  writing: 'same value, written differently',
  'letter case': 'id in another letter case than stored; see KEY_COLLATION',
  more: 'too many differences to list',
};

/** Describes a difference, such as `header cache-control: another value`. */
export function differenceText({ part, place, what }: DifferenceGroup): string {
  const where = part === 'body' ? `body ${place}` : part === 'status' ? 'status' : `${part} ${place}`;
  return `${where}: ${HOW[what]}`;
}
