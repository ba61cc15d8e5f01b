import type { ExportReport, FileReport, ImportReport, Problem } from '../store';
import { shown } from '../text';

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
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : []),
    ...(dryRun ? ['Dry run: nothing was written.'] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function cells({ file, outcome, newRows, changedRows, unchangedRows, refusedRows }: FileReport): string[] {
  const counts = [newRows, changedRows, unchangedRows, refusedRows];
  return [file, outcome, ...counts.map((count) => count.toLocaleString('en'))];
}

function problemLine({ file, line, column, reason }: Problem): string {
  return shown(`${file}, line ${String(line)}${column && `, ${column}`}: ${reason}`);
}

/** What an export wrote, file by file, for the terminal. */
export function exportSummary({ files }: ExportReport): string {
  return textTable(
    ['file', 'outcome', 'rows'],
    files.map(({ file, rows }) => [file, 'written', rows.toLocaleString('en')]),
  );
}

/** Columns of equal width, the first ones (two unless given) to the left and the others, which are numbers, to the right. */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  leftColumns = 2,
): string {
  const lines = [header, ...rows.map((cells) => cells.map(shown))];
  const widths = header.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => (at < leftColumns ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
