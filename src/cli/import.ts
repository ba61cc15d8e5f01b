import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { type Command, Option } from 'commander';

import { parseChecked, readOperatorFile } from '../config';

import { recordAction } from '../admin/login/actions';
import {
  ERROR_COLUMNS,
  errorsCsv,
  groupProblems,
  questionLines,
  removalLines,
  summaryLines,
  undoLines,
} from '../admin/reports/import-texts';
import { LANGUAGES } from '../admin/texts/words';
import { FEATURE_BOOKS } from '../features/feature';
import {
  DATE_ORDERS,
  ENCODINGS,
  type FileReport,
  IMPORT_MAP,
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
  openStore,
  type Store,
  StoreError,
} from '../store';
import { OperatorError } from '../support/errors';
import { englishText } from '../support/phrase';
import { cannotWrite, replaceFileSync } from '../support/replace-file';
import { counted, numberText, textTable } from '../support/text';
import {
  createCommand,
  type Host,
  onStore,
  type Progress,
  ProgressDisplay,
  storeOptions,
  warnOfLoose,
} from './run-command';

interface ImportCommandOptions extends Pick<ImportOptions, 'dateOrder' | 'encoding' | 'ignoreExtraColumns'> {
  readonly dryRun?: boolean;
  readonly errors?: string;
  readonly map?: string;
  readonly replace?: boolean;
  readonly template?: string;
  readonly undo?: boolean;
  readonly yes?: boolean;
}

/**
 * `school-notifications import FOLDER [--replace [--yes]] [--dry-run] [--errors FILE] [--map FILE]` and the
 * forms of files
 */
export function importData(host: Host): Command {
  const command = createCommand('import', host)
    .description('Loads CSV files or .xlsx workbooks into the database. The service may be running.')
    .argument(
      '[folder]',
      'folder with schools.csv, classes.csv and so on, or workbook with a sheet for each; files may be missing',
    )
    .option('--dry-run', 'check the files and write nothing')
    .option('--errors <file>', 'also write the errors to this CSV file; without errors it is deleted')
    .option('--replace', 'also delete rows of these schools that are not in the files')
    .addOption(new Option('--encoding <name>', 'encoding of files that are not UTF-8').choices(ENCODINGS))
    .addOption(new Option('--date-order <order>', 'order of dates with slashes').choices(DATE_ORDERS))
    .option('--ignore-extra-columns', 'skip unknown columns')
    .option('--map <file>', 'JSON file with other names of files, columns and values')
    .option('--yes', 'with --replace: even if that deletes more than a fifth of a table');
  if (FEATURE_BOOKS !== undefined)
    command.option(
      '--template <folder>',
      `write workbooks to fill in, in ${namesOfLanguages()}, into this folder`,
    );
  return command
    .option('--undo', 'undo the last import as a whole, without a folder; messages already sent stay sent')
    .action(async (folder: string | undefined, options: ImportCommandOptions) => {
      if (options.template !== undefined) await writeTemplates(host, options.template);
      else if (options.undo === true) await undoLastImport(host, options.dryRun === true);
      else if (folder === undefined) command.error("error: missing required argument 'folder'");
      else await importFrom(host, folder, options);
    });
}

async function importFrom(
  host: Host,
  folder: string,
  { dryRun = false, errors, map, replace = false, yes = false, ...forms }: ImportCommandOptions,
): Promise<void> {
  const names = map === undefined ? {} : parseChecked(readOperatorFile(map, '--map'), IMPORT_MAP);
  const store = await (dryRun ? openToCheck(host) : openStore(storeOptions(host)));
  const display = new ProgressDisplay(host.stdout);
  try {
    const report = await store.importFolder(folder, {
      ...forms,
      dryRun,
      map: names,
      ...(map !== undefined && dirname(resolve(map)) === resolve(folder) && { otherFiles: [basename(map)] }),
      onProgress: (progress) => {
        display.show(fileProgress(progress));
        host.send?.({ progress });
      },
      ...(replace && { replace: yes ? 'even large parts' : 'small parts' }),
    });
    display.end();
    host.stdout.write(importSummary(report, dryRun));
    host.send?.({ report });
    if (errors !== undefined) writeErrors(errors, report);
    const { files, problemCount, leftOut, removesTooMuch } = report;
    const loaded = files.filter(({ outcome }) => outcome === 'loaded');
    const rows = loaded.reduce((sum, file) => sum + file.newRows + file.changedRows, 0);
    const who = host.env['AUDIT_WHO'];
    const detail = {
      files: (loaded.length > 0 ? loaded : files).map(({ file }) => file).join(', '),
      ...{ rows, errors: problemCount },
      // Nothing was written: the files have errors, or a replacement would delete too much.
      ...(loaded.length === 0 && { result: 'refused' }),
    };
    // The service runs the command for its own imports, and for users of the console.
    if (!dryRun)
      await recordAction(
        store,
        who === undefined
          ? { who: 'command line', action: 'import', detail: { folder, ...detail } }
          : { who, action: 'import', detail },
      );
    if (problemCount > 0 || leftOut.some(({ isTable }) => isTable) || removesTooMuch) host.exitCode = 1;
  } finally {
    display.end();
    await store.close();
  }
}

/** Returns, for example, `English and Turkish`. */
function namesOfLanguages(): string {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return new Intl.ListFormat('en').format(LANGUAGES.map(({ tag }) => names.of(tag) ?? tag));
}

/** @throws OperatorError if a workbook cannot be written */
async function writeTemplates(host: Host, folder: string): Promise<void> {
  for (const { tag } of LANGUAGES) {
    const workbook = await FEATURE_BOOKS?.template(tag);
    if (workbook === undefined) continue;
    const path = join(folder, `school.${tag}.xlsx`);
    try {
      mkdirSync(folder, { recursive: true });
      replaceFileSync(path, workbook);
    } catch (error) {
      throw new OperatorError(cannotWrite(path, error), { cause: error });
    }
    host.stdout.write(`${path}\n`);
  }
}

async function undoLastImport(host: Host, dryRun: boolean): Promise<void> {
  const undo = await onStore(host, async (store) => {
    if (dryRun) return store.lastUndo();
    const done = await store.undoImport();
    const rows = done.files.reduce(
      (sum, file) => sum + file.deletedRows + file.restoredRows + file.returnedRows,
      0,
    );
    const detail = { files: done.files.map(({ file }) => file).join(', '), rows };
    await recordAction(store, { who: 'command line', action: 'import undone', detail });
    return done;
  });
  if (undo === undefined) throw new OperatorError('There is no import to undo.');
  if (!undo.isPossible) throw new OperatorError('The last import can no longer be undone.');
  const lines = undoLines(undo, !dryRun).map(englishText);
  const end = dryRun ? ['Dry run: nothing was written.'] : [];
  const time = new Date(undo.at).toISOString();
  host.stdout.write([`Import of ${time}`, ...lines, ...end].map((line) => `${line}\n`).join(''));
}

/** Shows the progress of reading, which takes most of the time. */
function fileProgress({ file, step, bytesRead, bytes, rows }: ImportProgress): Progress {
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

function importSummary(report: ImportReport, dryRun: boolean): string {
  return [
    textTable(IMPORT_COLUMNS, report.files.map(fileCells)),
    ...summaryLines(report).map(englishText),
    ...questionLines(report).map((line) => `Check: ${englishText(line)}`),
    ...errorLines(report),
    ...removalLines(report, !dryRun).map(englishText),
    ...(report.removesTooMuch
      ? [
          'Nothing was written: this would delete more than a fifth of a table. If that is intended, add --yes.',
        ]
      : []),
    ...(dryRun ? ['Dry run: nothing was written.'] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function fileCells(report: FileReport): string[] {
  const { file, outcome, rows, newRows, changedRows, unchangedRows, errors } = report;
  return [file, outcome, ...[rows, newRows, changedRows, unchangedRows, errors].map(numberText)];
}

/** Returns the errors as a table, those with the same reason in one row, and the number of the others. */
function errorLines(report: ImportReport): readonly string[] {
  const { groups, others } = groupProblems(report);
  if (report.problemCount === 0) return [];
  const rows = groups.map(({ file, lines, column, values, reason }) => [
    ...[file, englishText(lines), column, values.join(', '), reason],
  ]);
  const table = textTable(ERROR_COLUMNS, rows, ERROR_COLUMNS.length);
  return ['', table, ...(others > 0 ? [`and ${counted(others, 'more error')}`] : [])];
}

/**
 * Writes the errors to a file; without any, removes the errors of an earlier import.
 *
 * @throws OperatorError when that fails
 */
function writeErrors(path: string, report: ImportReport): void {
  try {
    if (report.problemCount > 0) replaceFileSync(path, errorsCsv(report));
    else if (existsSync(path)) rmSync(path);
  } catch (error) {
    throw new OperatorError(cannotWrite(path, error), { cause: error });
  }
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
  return createCommand('export', host)
    .description('Writes school data to CSV files in the import format. The service may be running.')
    .argument('<folder>', 'output folder; created if missing, existing files are overwritten')
    .action(async (folder: string) => {
      const { files } = await onStore(host, (store) => store.exportFolder(folder));
      warnOfLoose([folder], host);
      const rows = files.map(({ file, rows: count }) => [file, 'written', numberText(count)]);
      host.stdout.write(`${textTable(['file', 'outcome', 'rows'], rows)}\n`);
    });
}
