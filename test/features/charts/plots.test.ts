import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Words } from '../../../src/admin/texts/words';
import { plotPart } from '../../../src/features/charts/plots';

const STYLES = readFileSync(
  join(__dirname, '..', '..', '..', 'src', 'features', 'charts', 'browser', 'plots.css'),
  'utf8',
);

/** The colours of a plot with some columns of each kind, and the names of its columns. */
function drawn(
  calm: number,
  bad: number,
): { readonly colors: readonly string[]; readonly names: readonly string[] } {
  const columns = [...Array(calm).keys()]
    .map((at) => ({ name: `calm ${String(at)}`, isBad: false }))
    .concat([...Array(bad).keys()].map((at) => ({ name: `bad ${String(at)}`, isBad: true })));
  const { text } = plotPart(
    {
      ...{ id: 'x', title: 'X', unit: 'y', drawing: 'bars', columns },
      rows: [{ at: 0, values: columns.map((_, at) => columns.length - at) }],
    },
    new Words('en', 'UTC'),
  );
  const heads = [...text.matchAll(/data-color="(\d+)">([^<]+)</g)];
  return { colors: heads.map(([, color = '']) => color), names: heads.map(([, , name = '']) => name) };
}

describe('the colours of a plot', () => {
  it.each([
    [4, 4],
    [8, 4],
    [12, 6],
    [1, 9],
  ])('differ for %d series and %d series of failures', (calm, bad) => {
    const { colors } = drawn(calm, bad);
    expect(new Set(colors).size).toBe(colors.length);
  });

  it('are enough, because the smallest series share one', () => {
    expect(drawn(8, 4).names).toEqual([
      ...['calm 0', 'calm 1', 'calm 2', 'calm 3', 'calm 4', 'calm 5', 'calm 6', 'calm 7'],
      ...['bad 0', 'bad 1', 'bad 2', 'bad 3'],
    ]);
    expect(drawn(10, 5).names).toEqual([
      ...['calm 0', 'calm 1', 'calm 2', 'calm 3', 'calm 4', 'calm 5', 'calm 6'],
      ...['bad 0', 'bad 1', 'bad 2', 'others', 'other failures'],
    ]);
  });

  it('are all different in both schemes', () => {
    const colors = [...STYLES.matchAll(/--plot-\d+: (#\w+);/g)].map(([, color]) => color);
    expect(colors).toHaveLength(24);
    expect(new Set(colors.slice(0, 12)).size).toBe(12);
    expect(new Set(colors.slice(12)).size).toBe(12);
  });
});
