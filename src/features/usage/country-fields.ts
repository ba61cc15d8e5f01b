import * as z from 'zod';

import { readAmount } from './amounts';

const smsPrice = z.strictObject({
  from: z.iso.date('is not a date such as 2026-01-01'),
  price: z.string().transform((text, context): bigint => {
    const amount = readAmount(text);
    if (amount !== undefined) return amount;
    context.addIssue('is not an amount such as "0.0125"');
    return z.NEVER;
  }),
  currency: z.string().regex(/^[A-Z]{3}$/, 'is not a currency code such as EUR'),
  gateway: z.string().min(1).optional(),
});

/** Fields of a country in DELIVERY_FILE: prices of an SMS, by the first day on which they apply. */
export const COUNTRY_FIELDS = {
  smsPrices: z
    .array(smsPrice)
    .refine(
      (prices) =>
        new Set(prices.map(({ from, gateway = '' }) => `${from} ${gateway}`)).size === prices.length,
      'has two prices from the same date',
    )
    .optional(),
};
