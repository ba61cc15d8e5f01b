import { type ExportReport, type FileReport, type ImportReport, type Problem } from '../store';
import { numberText, shown, textTable } from '../support/text';

const IMPORT_COLUMNS = ['file', 'outcome', 'new', 'changed', 'unchanged', 'refused'];

/** What an import did, file by file, and what is wrong with the files, for the terminal. */
export function importSummary(report: ImportReport, { dryRun }: { readonly dryRun: boolean }): string {
  const more = report.problemCount - report.problems.length;
  return [
    textTable(IMPORT_COLUMNS, report.files.map(cells)),
    ...report.unknownFiles.map(
      (name) => `${shown(name)}: left out, it is none of the files that an import reads`,
    ),
    ...report.problems.map(problemLine),
    ...(more > 0 ? [`and ${numberText(more)} more`] : []),
    ...removalLines(report, dryRun),
    ...(dryRun ? ['Dry run: nothing was written.'] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function cells({ file, outcome, newRows, changedRows, unchangedRows, refusedRows }: FileReport): string[] {
  const counts = [newRows, changedRows, unchangedRows, refusedRows];
  return [file, outcome, ...counts.map(numberText)];
}

function problemLine({ file, line, column, reason }: Problem): string {
  return shown(`${file}, line ${String(line)}${column && `, ${column}`}: ${reason}`);
}

/** What the files do not have of the schools that they name. */
function removalLines({ removals, removesTooMuch }: ImportReport, dryRun: boolean): readonly string[] {
  const done = dryRun || removesTooMuch ? 'to be removed' : 'removed';
  const lines = removals.map(
    ({ file, rows, of }) =>
      `${file}: ${numberText(rows)} of ${numberText(of)} rows ${done}, which the files do not have`,
  );
  if (!removesTooMuch) return lines;
  return [...lines, 'Nothing was written: that is more than a fifth of a file. If it is right, add --yes.'];
}

/** What an export wrote, file by file, for the terminal. */
export function exportSummary({ files }: ExportReport): string {
  return textTable(
    ['file', 'outcome', 'rows'],
    files.map(({ file, rows }) => [file, 'written', numberText(rows)]),
  );
}
