import {
  CSV_FILE_NAMES,
  type ImportQuestion,
  type ImportReport,
  type LeftOut,
  type Problem,
  type UndoReport,
  type ValueCounts,
} from '../../store';
import { countPhrase, type Phrase, type PhraseValue, type Sentence } from '../../support/phrase';
import { counted, didYouMean, shown } from '../../support/text';
import type { Text } from '../texts/words';
import { csvTable } from './records';

const MAX_GROUPS = 50;
const MAX_LINES = 5;
/** Maximum number of different values listed for a group. */
const MAX_VALUES = 3;

/** Errors with the same reason in the same column. */
export interface ProblemGroup {
  readonly file: string;
  readonly lines: Sentence<Text>;
  readonly column: string;
  /** Starts of cells, or words in the place of personal data. */
  readonly values: readonly string[];
  readonly reason: string;
}

/** Returns the first groups of errors, and the number of errors in none of them. */
export function groupProblems({ problems, problemCount }: Pick<ImportReport, 'problems' | 'problemCount'>): {
  readonly groups: readonly ProblemGroup[];
  readonly others: number;
} {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const alike = JSON.stringify([problem.file, problem.column, problem.reason]);
    const group = groups.get(alike);
    if (group === undefined) groups.set(alike, [problem]);
    else group.push(problem);
  }
  const listed = [...groups.values()].slice(0, MAX_GROUPS);
  const others = problemCount - listed.reduce((sum, group) => sum + group.length, 0);
  return { groups: listed.map(toGroup), others };
}

function toGroup(group: readonly Problem[]): ProblemGroup {
  const [{ file, column, reason } = { file: '', column: '', reason: '' }] = group;
  const lines = group.slice(0, MAX_LINES).map(({ line, cell }, at) => {
    // Further cells are on the same sheet.
    const place = cell ?? String(line);
    return at === 0 ? place : place.slice(place.lastIndexOf('!') + 1);
  });
  const others = group.length - lines.length;
  const values = [...new Set(group.map(({ value }) => value))].slice(0, MAX_VALUES);
  return {
    ...{ file, column, reason, values },
    lines:
      others > 0
        ? { text: '{lines} and {n} more', values: { lines: lines.join(', '), n: others } }
        : { line: lines.join(', ') },
  };
}

export const ERROR_COLUMNS = ['file', 'line', 'column', 'value', 'error'];
const CSV_ERROR_COLUMNS = ['file', 'line', 'cell', 'column', 'value', 'error'];

/** Returns the errors as CSV, with a byte order mark for Excel. */
export function errorsCsv({
  problems,
  problemCount,
}: Pick<ImportReport, 'problems' | 'problemCount'>): string {
  const rows = problems.map(({ file, line, cell = '', column, value, reason }) => [
    file,
    String(line),
    cell,
    column,
    value,
    reason,
  ]);
  const others = problemCount - problems.length;
  if (others > 0) rows.push(['', '', '', '', '', `and ${counted(others, 'more error')}`]);
  return `\uFEFF${csvTable(CSV_ERROR_COLUMNS, rows)}`;
}

const UNREFERENCED: Readonly<Record<string, Text>> = {
  'classes.csv': 'Classes without students: {n} of {of}',
  'students.csv': 'Students without devices: {n} of {of}',
};
/** Texts for one value and for several. */
const BY_VALUE: Readonly<Record<string, readonly [one: Text, several: Text]>> = {
  'students.csv': [
    'Students by ShowActive: {counts}',
    // The operation compares the flag with the one character of its parameter.
    'Students by ShowActive: {counts} (GetStudentSchool returns one value per call)',
  ],
  'devices.csv': ['Devices by platform: {counts}', 'Devices by platform: {counts}'],
};

const LEFT_OUT: Readonly<Record<LeftOut['reason'], Text>> = {
  unknown: '{name}: not an import file.{hint}',
  format: '{name}: not loaded, a format that is not read. Save it as .xlsx or .csv.',
  lock: '{name}: not loaded, a mark that a spreadsheet has the workbook open.',
  hidden: '{name}: not loaded, a hidden sheet.',
  'no-table': '{name}: not loaded, a chart or another sheet without cells.',
  other: '{name}: not loaded, not a table.',
};
/** Maximum number of files and sheets that are named. */
const MAX_LEFT_OUT = 30;

function leftOutLines(leftOut: readonly LeftOut[]): readonly Phrase<Text>[] {
  // Those that may have been meant as data come first.
  const ordered = leftOut.toSorted((one, other) => Number(other.isTable) - Number(one.isTable));
  const lines = ordered.slice(0, MAX_LEFT_OUT).map(({ name, reason }): Phrase<Text> => ({
    text: LEFT_OUT[reason],
    values: {
      name: shown(name),
      ...(reason === 'unknown' && { hint: didYouMean(name, CSV_FILE_NAMES) }),
    },
  }));
  const others = ordered.length - lines.length;
  return others > 0 ? [...lines, countPhrase(others, '{n} more not loaded', '{n} more not loaded')] : lines;
}

/** Returns lines for a person to check: files that were not read, and counts of the rows that were. */
export function summaryLines({ leftOut, summary }: ImportReport): readonly Phrase<Text>[] {
  return [
    ...leftOutLines(leftOut),
    ...(leftOut.some(({ isTable }) => isTable)
      ? [{ text: 'Import files: {names}.', values: { names: CSV_FILE_NAMES.join(', ') } } as const]
      : []),
    ...summary.values.flatMap(({ file, counts, others }) => {
      const text = BY_VALUE[file]?.[counts.length > 1 ? 1 : 0];
      return text === undefined ? [] : [{ text, values: { counts: countsPhrase(counts, others) } }];
    }),
    ...summary.unreferenced.flatMap(({ file, rows, of }) => {
      const text = UNREFERENCED[file];
      return text === undefined ? [] : [{ text, values: { n: rows, of } }];
    }),
  ];
}

/** Lists values with their numbers of rows. */
function countsPhrase(counts: ValueCounts['counts'], others: number): Phrase<Text> {
  const counted = (value: PhraseValue<Text>, n: number): Phrase<Text> => ({
    text: '{value} {n}',
    values: { value, n },
  });
  const listed = [
    ...counts.map(({ value, rows }) => counted(shown(value.trim()) || { text: '(empty)' }, rows)),
    ...(others > 0 ? [counted({ text: 'others' }, others)] : []),
  ];
  if (listed.length === 0) return { text: 'none' };
  return listed.reduceRight((rest, first) => ({ text: '{first}, {rest}', values: { first, rest } }));
}

const QUESTIONS: Readonly<Record<ImportQuestion['kind'], Text>> = {
  missing: '{file} lacks {n} of {of} stored students. Is it complete?',
  'no-students': '{n} of {of} classes have no students. Is students.csv complete?',
  'shared-token':
    'Devices that share their token with ten or more: {of} ({n} different tokens). Is the column right?',
  'no-letters': 'Names of students that are numbers: {n} of {of}. Is the column right?',
  case: '{file}: {n} values differ only in case, such as 9a and 9A. Are they different ones?',
};

/** Returns what looks wrong, as questions. */
export function questionLines({ questions }: ImportReport): readonly Phrase<Text>[] {
  return questions.map(({ kind, file, rows, of }) => ({
    text: QUESTIONS[kind],
    values: { file, n: rows, of },
  }));
}

/** @param isDone - the rows are deleted, unless they are too many */
export function removalLines(
  { removals, removesTooMuch }: ImportReport,
  isDone: boolean,
): readonly Phrase<Text>[] {
  const text =
    isDone && !removesTooMuch
      ? '{file}: {n} of {rows} deleted (not in the files)'
      : '{file}: {n} of {rows} to delete (not in the files)';
  return removals.map(({ file, rows, of }) => ({
    text,
    values: { file, n: rows, rows: countPhrase(of, '{n} row', '{n} rows') },
  }));
}

/** Returns what an undo does in each file. @param isDone - the undo is done */
export function undoLines({ files }: UndoReport, isDone: boolean): readonly Phrase<Text>[] {
  const text = isDone
    ? '{file}: {deleted} new deleted, {restored} changed back, {returned} brought back'
    : '{file}: {deleted} new to delete, {restored} to change back, {returned} to bring back';
  return files.map(({ file, deletedRows, restoredRows, returnedRows }) => ({
    text,
    values: { file, deleted: deletedRows, restored: restoredRows, returned: returnedRows },
  }));
}
