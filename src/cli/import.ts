import { writeFileSync } from 'node:fs';

import { type Command, Option } from 'commander';

import { parseChecked, readOperatorFile } from '../config';

import {
  CSV_FILE_NAMES,
  csvLine,
  DATE_ORDERS,
  ENCODINGS,
  type FileReport,
  IMPORT_MAP,
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
  openStore,
  type Problem,
  type Store,
  StoreError,
  type ValueCounts,
} from '../store';
import { errorWord, OperatorError } from '../support/errors';
import { PRIVATE_FILE } from '../support/private-files';
import { counted, didYouMean, numberText, shown, textTable } from '../support/text';
import {
  commandOf,
  type Host,
  onStore,
  type Progress,
  ProgressDisplay,
  recordCommand,
  storeOptions,
  warnOfLoose,
} from './run-command';

interface ImportCommandOptions extends Pick<ImportOptions, 'dateOrder' | 'encoding' | 'ignoreExtraColumns'> {
  readonly dryRun?: boolean;
  readonly errors?: string;
  readonly map?: string;
  readonly replace?: boolean;
  readonly yes?: boolean;
}

/** `school-notifications import FOLDER [--replace [--yes]] [--dry-run] [--errors FILE] [--map FILE]` and the forms of files */
export function importData(host: Host): Command {
  return commandOf('import', host)
    .description('Loads CSV files or .xlsx workbooks into the database. The service may be running.')
    .argument(
      '<folder>',
      'folder with schools.csv, classes.csv and so on, or workbook with a sheet for each; files may be missing',
    )
    .option('--dry-run', 'check the files and write nothing')
    .option('--errors <file>', 'also write the errors to this CSV file')
    .option('--replace', 'also delete rows of these schools that are not in the files')
    .addOption(new Option('--encoding <name>', 'encoding of files that are not UTF-8').choices(ENCODINGS))
    .addOption(new Option('--date-order <order>', 'order of dates with slashes').choices(DATE_ORDERS))
    .option('--ignore-extra-columns', 'skip unknown columns')
    .option('--map <file>', 'JSON file with other names of files, columns and values')
    .option('--yes', 'with --replace: even if that deletes more than a fifth of a table')
    .action(
      async (
        folder: string,
        { dryRun = false, errors, map, replace = false, yes = false, ...forms }: ImportCommandOptions,
      ) => {
        const names = map === undefined ? {} : parseChecked(readOperatorFile(map, '--map'), IMPORT_MAP);
        const store = await (dryRun ? openToCheck(host) : openStore(storeOptions(host)));
        const display = new ProgressDisplay(host.stdout);
        try {
          const report = await store.importFolder(folder, {
            ...forms,
            dryRun,
            map: names,
            onProgress: (progress) => {
              display.show(ofFile(progress));
            },
            ...(replace && { replace: yes ? 'even large parts' : 'small parts' }),
          });
          display.end();
          host.stdout.write(importSummary(report, dryRun));
          if (errors !== undefined) writeErrors(errors, report);
          const { files, problemCount, unknownFiles, removesTooMuch } = report;
          const loaded = files.filter(({ outcome }) => outcome === 'loaded');
          const rows = loaded.reduce((sum, file) => sum + file.newRows + file.changedRows, 0);
          if (!dryRun) await recordCommand(store, 'import', { folder, rows, errors: problemCount });
          if (problemCount > 0 || unknownFiles.length > 0 || removesTooMuch) host.exitCode = 1;
        } finally {
          display.end();
          await store.close();
        }
      },
    );
}

/** Shows the progress of reading, which takes most of the time. */
function ofFile({ file, step, bytesRead, bytes, rows }: ImportProgress): Progress {
  const count = counted(rows, 'row');
  return {
    part: file,
    done: bytesRead,
    of: bytes,
    text: `${count} | ${step}`,
    line: step === 'reading' ? `read, ${count}` : undefined,
  };
}

const IMPORT_COLUMNS = ['file', 'outcome', 'rows', 'new', 'changed', 'unchanged', 'errors'];

/** Returns the result of an import for the terminal, file by file, with the errors of the files. */
function importSummary(report: ImportReport, dryRun: boolean): string {
  return [
    textTable(IMPORT_COLUMNS, report.files.map(fileCells)),
    ...report.unknownFiles.map(
      (name) => `${shown(name)}: not an import file.${didYouMean(name, CSV_FILE_NAMES)}`,
    ),
    ...(report.unknownFiles.length > 0 ? [`Import files: ${CSV_FILE_NAMES.join(', ')}.`] : []),
    ...report.summary.values.map(valuesLine),
    ...report.summary.unreferenced.map(
      ({ file, by, rows, of }) =>
        `${NOUNS[file] ?? file} without ${NOUNS[by]?.toLowerCase() ?? by}: ${numberText(rows)} of ${numberText(of)}`,
    ),
    ...errorLines(report),
    ...removalLines(report, dryRun),
    ...(dryRun ? ['Dry run: nothing was written.'] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function fileCells(report: FileReport): string[] {
  const { file, outcome, rows, newRows, changedRows, unchangedRows, errors } = report;
  return [file, outcome, ...[rows, newRows, changedRows, unchangedRows, errors].map(numberText)];
}

const NOUNS: Readonly<Record<string, string>> = {
  'classes.csv': 'Classes',
  'students.csv': 'Students',
  'devices.csv': 'Devices',
};

function valuesLine({ file, header, counts, others }: ValueCounts): string {
  const listed = counts.map(({ value, rows }) => `${value.trim() || '(empty)'} ${numberText(rows)}`);
  if (others > 0) listed.push(`others ${numberText(others)}`);
  // The operation compares the flag with the one character of its parameter.
  const note =
    counts.length > 1 && header === 'ShowActive' ? ' (GetStudentSchool returns one value per call)' : '';
  return shown(`${NOUNS[file] ?? file} by ${header}: ${listed.join(', ') || 'none'}${note}`);
}

const ERROR_COLUMNS = ['file', 'line', 'column', 'value', 'error'];
/** Maximum number of groups of errors on the terminal. */
const MAX_GROUPS = 50;
/** Maximum number of lines listed for a group. */
const MAX_LINES = 5;
/** Maximum number of different values listed for a group. */
const MAX_VALUES = 3;

/** Returns the errors as a table, those with the same reason in one row, and the number of the others. */
function errorLines({ problems, problemCount }: ImportReport): readonly string[] {
  if (problemCount === 0) return [];
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const alike = JSON.stringify([problem.file, problem.column, problem.reason]);
    const group = groups.get(alike);
    if (group === undefined) groups.set(alike, [problem]);
    else group.push(problem);
  }
  const listed = [...groups.values()].slice(0, MAX_GROUPS);
  const others = problemCount - listed.reduce((sum, group) => sum + group.length, 0);
  const table = textTable(ERROR_COLUMNS, listed.map(groupCells), ERROR_COLUMNS.length);
  return ['', table, ...(others > 0 ? [`and ${counted(others, 'more error')}`] : [])];
}

function groupCells(group: readonly Problem[]): string[] {
  const [{ file, column, reason } = { file: '', column: '', reason: '' }] = group;
  const lines = group.slice(0, MAX_LINES).map(({ line }) => String(line));
  const others = group.length - lines.length;
  const values = [...new Set(group.map(({ value }) => value))].slice(0, MAX_VALUES);
  const allLines = others > 0 ? `${lines.join(', ')} and ${numberText(others)} more` : lines.join(', ');
  return [file, allLines, column, values.join(', '), reason];
}

/**
 * Writes the errors to a CSV file, with a byte order mark for Excel and nothing that a spreadsheet takes for a formula.
 *
 * @throws OperatorError when it cannot be written
 */
function writeErrors(path: string, { problems, problemCount }: ImportReport): void {
  const rows = problems.map(({ file, line, column, value, reason }) => [
    file,
    String(line),
    column,
    /^[=+\-@\t\r]/.test(value) ? `'${value}` : value,
    reason,
  ]);
  const others = problemCount - problems.length;
  if (others > 0) rows.push(['', '', '', '', `and ${counted(others, 'more error')}`]);
  try {
    writeFileSync(path, `\uFEFF${[ERROR_COLUMNS, ...rows].map(csvLine).join('')}`, { mode: PRIVATE_FILE });
  } catch (error) {
    throw new OperatorError(`Cannot write ${path} (${errorWord(error)}).`, { cause: error });
  }
}

/** Returns lines about rows of the schools that the files lack. */
function removalLines({ removals, removesTooMuch }: ImportReport, dryRun: boolean): readonly string[] {
  const done = dryRun || removesTooMuch ? 'to delete' : 'deleted';
  const lines = removals.map(
    ({ file, rows, of }) =>
      `${file}: ${numberText(rows)} of ${counted(of, 'row')} ${done} (not in the files)`,
  );
  if (!removesTooMuch) return lines;
  return [
    ...lines,
    'Nothing was written: this would delete more than a fifth of a table. If that is intended, add --yes.',
  ];
}

/** Opens the database for a check, which changes nothing; if there is none yet, an empty one in memory. */
async function openToCheck(host: Host): Promise<Store> {
  try {
    return await openStore({ ...storeOptions(host), mustExist: true });
  } catch (error) {
    if (!(error instanceof StoreError && error.trouble === 'no-schema')) throw error;
    return openStore({ ...storeOptions(host), url: 'sqlite::memory:' });
  }
}

/** `school-notifications export FOLDER` */
export function exportData(host: Host): Command {
  return commandOf('export', host)
    .description('Writes school data to CSV files in the import format. The service may be running.')
    .argument('<folder>', 'output folder; created if missing, existing files are overwritten')
    .action(async (folder: string) => {
      const { files } = await onStore(host, (store) => store.exportFolder(folder));
      warnOfLoose([folder], host);
      const rows = files.map(({ file, rows: count }) => [file, 'written', numberText(count)]);
      host.stdout.write(`${textTable(['file', 'outcome', 'rows'], rows)}\n`);
    });
}
