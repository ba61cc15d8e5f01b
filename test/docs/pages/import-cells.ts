import { CELL_KINDS, REFUSALS } from '../../features/workbooks/cell-kinds-table';
import { readRepositoryFile } from '../../harness/repository-files';

export const IMPORT_PAGE = 'docs/import-school-data.md';

/** Returns the page about imports with the table of the kinds of cells, by which the reader is tested. */
export function importPage(): string {
  const page = readRepositoryFile(IMPORT_PAGE);
  const start = page.indexOf('\n\n', page.indexOf('\n## Cells\n\n') + '\n## Cells\n\n'.length);
  const end = page.indexOf('\n## ', start);
  const kinds = [...new Set(CELL_KINDS.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const cells = CELL_KINDS.filter((cell) => cell.kind === kind);
    const columns = (isTaken: boolean): string => {
      const names = cells
        .filter(({ gives }) => isTaken !== gives instanceof RegExp)
        .map(({ column }) => column);
      return [...new Set(names)].join(', ');
    };
    const why = new Set(
      cells.flatMap(({ gives }) => (gives instanceof RegExp ? [REFUSALS.get(gives) ?? ''] : [])),
    );
    return `| ${[kind, columns(true), columns(false), [...why].join(', ')].join(' | ')} |`;
  });
  const table = ['| Cell | Taken as | Refused as | Why |', '|---|---|---|---|', ...rows].join('\n');
  return `${page.slice(0, start)}\n\n${table}\n${page.slice(end)}`;
}
