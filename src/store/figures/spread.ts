/**
 * By which times from acceptance to sending messages are counted apart, in seconds: from the shortest there is to a
 * day, each some two to six times the one before. What takes longer is counted under the bound `+Inf`.
 */
export const SENT_BOUNDS: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 86_400,
];

/** How many messages took how long: each more than `above` and at most `upTo`, in milliseconds. */
export type Spread = readonly { readonly above: number; readonly upTo: number; readonly count: number }[];

/** @param counts - by bound as text, without those of nothing */
export function spreadOf(counts: readonly (readonly [bound: string, count: number])[]): Spread {
  return counts
    .map(([bound, count]) => {
      const seconds = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
      const above = SENT_BOUNDS.findLast((shorter) => shorter < seconds) ?? 0;
      return { above: above * 1000, upTo: seconds * 1000, count };
    })
    .toSorted((one, other) => one.upTo - other.upTo);
}

/**
 * The time that a share of the messages took at most, in whole milliseconds, as if those between two bounds were
 * spread evenly there; of those beyond the longest bound nothing is known but that bound.
 *
 * @param spread - of one message at least, the shortest times first
 * @param share - 0.5 for the median
 */
export function quantileMs(spread: Spread, share: number): number {
  const wanted = share * spread.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  for (const { above, upTo, count } of spread) {
    if (before + count >= wanted) {
      const width = Number.isFinite(upTo) ? upTo - above : 0;
      return Math.round(above + (width * (wanted - before)) / count);
    }
    before += count;
  }
  return 0;
}
