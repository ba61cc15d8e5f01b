import { shown } from './shown';

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
