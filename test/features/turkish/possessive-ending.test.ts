import { Words } from '../../../src/admin/texts/words';
import { possessiveEnding } from '../../../src/features/turkish/possessive-ending';

describe('a number in Turkish', () => {
  it.each(
    Object.entries({
      ...{ 0: 'ı', 1: 'i', 2: 'si', 3: 'ü', 4: 'ü', 5: 'i', 6: 'sı', 7: 'si', 8: 'i', 9: 'u' },
      ...{ 10: 'u', 20: 'si', 30: 'u', 40: 'ı', 50: 'si', 60: 'ı', 70: 'i', 80: 'i', 90: 'ı' },
      ...{ 100: 'ü', 112: 'si', 1000: 'i', 1200: 'ü', 40_000: 'i', 1_000_000: 'u' },
    }),
  )('%s has the ending %s', (value, ending) => {
    expect(possessiveEnding(Number(value))).toBe(ending);
  });

  it('has its ending in a sentence', () => {
    const values = { n: 7, m: 165, share: 4 };
    expect(new Words('tr', 'UTC').said({ text: '{n} of {m} ({share}%)', values })).toBe(
      '165 mesajdan 7’si (%4)',
    );
  });
});
