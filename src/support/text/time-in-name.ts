/**
 * A moment as a part of a file's name, by which names sort: `20261123T170630Z`.
 *
 * @param at - milliseconds since 1970 UTC
 */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}
