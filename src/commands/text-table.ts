/** Columns of equal width, the first two to the left and the others, which are numbers, to the right. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => pad(cell, widths[at] ?? 0, at))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function pad(cell: string, width: number, at: number): string {
  return at < 2 ? cell.padEnd(width) : cell.padStart(width);
}
