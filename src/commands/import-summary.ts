import type { FileReport, ImportReport, Problem } from '../store';
import { textTable } from './text-table';

const HEADER = ['file', 'outcome', 'new', 'changed', 'unchanged', 'refused'];

/** What an import did, file by file, and what is wrong with the files, for the terminal. */
export function importSummary(report: ImportReport, { dryRun }: { readonly dryRun: boolean }): string {
  const more = report.problemCount - report.problems.length;
  return [
    textTable(HEADER, report.files.map(cells)),
    ...report.unknownFiles.map((name) => `${name}: left out, it is none of the files that an import reads`),
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
  return `${file}, line ${String(line)}${column && `, ${column}`}: ${reason}`;
}
