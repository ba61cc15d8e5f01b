/** The middle of the values; of an even number of them the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/**
 * Figures as a table in Markdown.
 *
 * @param titles - how many columns, from the first, are words; figures stand to the right
 */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  titles: number,
): string {
  const rule = head.map((_, column) => (column < titles ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
