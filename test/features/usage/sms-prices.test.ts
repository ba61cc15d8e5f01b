import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { amountText, readAmount } from '../../../src/features/usage/amounts';
import { readSmsPrices, SmsPrices } from '../../../src/features/usage/sms-prices';
import { readRepositoryFile } from '../../harness/repository-files';
import { useFolderPerTest } from '../../harness/use-folder';

describe('an amount', () => {
  it.each([
    ['0', 0n, '0.00'],
    ['0.0125', 12_500n, '0.0125'],
    ['0.000001', 1n, '0.000001'],
    ['12', 12_000_000n, '12.00'],
    ['3.5', 3_500_000n, '3.50'],
    ['999999999.999999', 999_999_999_999_999n, '999999999.999999'],
  ])('%s is read exactly and written as %s', (text, millionths, written) => {
    expect(readAmount(text)).toBe(millionths);
    expect(amountText(millionths)).toBe(written);
  });

  it.each(['', '.5', '1.', '-1', '1e3', '0,5', '0.0000001', '1000000000', ' 1'])('cannot be %j', (text) => {
    expect(readAmount(text)).toBeUndefined();
  });
});

it('the price of an SMS is the latest in force on a day', () => {
  const [first, second] = [
    { from: '2026-01-01', price: 1n, currency: 'EUR' },
    { from: '2026-07-01', price: 2n, currency: 'TRY' },
  ] as const;
  for (const smsPrices of [
    [first, second],
    [second, first],
  ]) {
    const prices = new SmsPrices({ countries: { TR: { smsPrices }, DE: {} } });
    expect(prices.of('TR', '2025-12-31', '')).toBeUndefined();
    expect(prices.of('TR', '2026-01-01', '')).toBe(first);
    expect(prices.of('TR', '2026-06-30', 'netgsm')).toBe(first);
    expect(prices.of('TR', '2026-07-01', '')).toBe(second);
    expect([prices.of('DE', '2026-07-01', ''), prices.of('', '2026-07-01', '')]).toEqual([
      undefined,
      undefined,
    ]);
  }
});

it('a gateway uses its own price from the day on which that starts', () => {
  const forAll = { from: '2026-03-01', price: 1n, currency: 'EUR' };
  const own = { from: '2026-02-01', price: 2n, currency: 'USD', gateway: 'twilio' };
  const prices = new SmsPrices({ countries: { TR: { smsPrices: [own, forAll] } } });
  expect(prices.of('TR', '2026-02-28', 'netgsm')).toBeUndefined();
  expect(prices.of('TR', '2026-02-28', 'twilio')).toBe(own);
  expect(prices.of('TR', '2026-03-01', 'netgsm')).toBe(forAll);
  expect(prices.of('TR', '2026-03-01', 'twilio')).toBe(own);
});

describe('the prices in DELIVERY_FILE', () => {
  const folder = useFolderPerTest();

  it.each([
    [
      [{ from: '2026-02-30', price: '1', currency: 'EUR' }],
      'smsPrices > 0 > from: is not a date such as 2026-01-01',
    ],
    [
      [{ from: '2026-01-01', price: '0,1', currency: 'EUR' }],
      'smsPrices > 0 > price: is not an amount such as "0.0125"',
    ],
    [
      Array(2).fill({ from: '2026-01-01', price: '1', currency: 'EUR' }),
      'smsPrices: has two prices from the same date',
    ],
  ])('are refused if they are %j', (smsPrices, message) => {
    const path = join(folder(), 'delivery.json');
    writeFileSync(path, JSON.stringify({ countries: { TR: { smsPrices } } }));
    expect(() => readSmsPrices(path)).toThrow(`countries > entry 1 > ${message}`);
  });

  it('are read from the example in docs/texts-and-hours.md', () => {
    const [, example = ''] =
      /^```\w+\n([^`]*"smsPrices"[^`]*)^```$/m.exec(readRepositoryFile('docs/texts-and-hours.md')) ?? [];
    const path = join(folder(), 'delivery.json');
    // Its schools have fields of another feature.
    const { languages, countries } = JSON.parse(example) as Readonly<Record<string, unknown>>;
    writeFileSync(path, JSON.stringify({ languages, countries }));
    const prices = readSmsPrices(path);
    const [june, july] = ['2026-06-30', '2026-07-01'].map((day) => prices.of('TR', day, '')?.price);
    expect([june, july]).toEqual([12_500n, 13_200n]);
  });
});
