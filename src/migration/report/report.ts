import { counted, numberText } from '../../support/text';
import type { DifferenceGroup, Findings, PairCounts } from './findings';

/** A comparison that has ended, or was ended. */
export interface Report {
  /** Where the two sides were, without credentials. */
  readonly old: string;
  readonly ours: string;
  /** When it began, in ISO 8601. */
  readonly startedAt: string;
  /** How long it took. */
  readonly seconds: number;
  /** What else a reader must know, a line each: what was left out, and why it ended early. */
  readonly notes: readonly string[];
  readonly findings: Findings;
}

/** The report as JSON: the same data, for programs. */
export function jsonReport(report: Report): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** What came out, in one sentence. */
export function outcomeText({ pairs, failed }: Findings): string {
  if (pairs === 0) return 'Nothing was compared.';
  if (failed === 0) return `${counted(pairs, 'comparison')}: no differences.`;
  return `${counted(pairs, 'comparison')}, ${numberText(failed)} with differences.`;
}

/** The columns of the counts, and what they hold. */
export const COUNT_COLUMNS: readonly (readonly [name: string, value: (row: PairCounts) => number])[] = [
  ['pairs', ({ pairs }) => pairs],
  ['equal bytes', ({ bytes }) => bytes],
  ['equal as XML', ({ xml }) => xml],
  ['other order', ({ order }) => order],
  ['different', ({ different }) => different],
  ['with findings', ({ failed }) => failed],
];

/** The name of a row or a group: the operation and the binding, as far as they are known. */
export function operationText({ operation }: Pick<PairCounts, 'operation'>): string {
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
  more: 'too many differences to list',
};

/** What is different where, such as `header cache-control: another value`. */
export function differenceText({ part, place, what }: DifferenceGroup): string {
  const where = part === 'body' ? `body ${place}` : part === 'status' ? 'status' : `${part} ${place}`;
  return `${where}: ${HOW[what]}`;
}
