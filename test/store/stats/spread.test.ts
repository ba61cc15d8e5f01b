import fc from 'fast-check';

import { quantileMs, SENT_BOUNDS, spreadOf } from '../../../src/store/stats/counted';

/** The bound under which a time is counted, in seconds; a day and more beyond the last one. */
const boundOf = (ms: number): number =>
  SENT_BOUNDS.find((bound) => ms <= bound * 1000) ?? Number.POSITIVE_INFINITY;

function spreadOfTimes(times: readonly number[]) {
  const counts = new Map<number, number>();
  for (const ms of times) counts.set(boundOf(ms), (counts.get(boundOf(ms)) ?? 0) + 1);
  const shuffled = [...counts].toSorted(([one], [other]) => String(one).localeCompare(String(other)));
  return spreadOf(shuffled.map(([bound, count]) => [bound === Infinity ? '+Inf' : String(bound), count]));
}

describe('a quantile of the delivery times', () => {
  it('lies between the same bounds as the exact quantile', () => {
    const times = fc.array(fc.integer({ min: 1, max: 100_000_000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.9, 0.99, 1), (ms, share) => {
        const sorted = ms.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const found = quantileMs(spreadOfTimes(ms), share);
        const upTo = boundOf(exact) * 1000;
        const above = 1000 * (SENT_BOUNDS.findLast((bound) => bound * 1000 < upTo) ?? 0);
        expect(found).toBeGreaterThanOrEqual(above);
        expect(found).toBeLessThanOrEqual(upTo);
      }),
    );
  });

  it.each([
    [0.5, 5000],
    [0.25, 3500],
    [1, 30_000],
  ])('for %d is interpolated between two bounds', (share, expected) => {
    const spread = spreadOf([
      ['30', 10],
      ['5', 10],
    ]);
    expect(quantileMs(spread, share)).toBe(expected);
  });
});
