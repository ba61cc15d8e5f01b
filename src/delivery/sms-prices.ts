/** What gateways take for one part of an SMS to a country. */
interface SmsPrice {
  /** The first day on which it holds: YYYY-MM-DD */
  readonly from: string;
  /** In millionths of the currency, whole: so sums are exact. */
  readonly price: bigint;
  /** As ISO 4217 names it. */
  readonly currency: string;
}

/** By country, as ISO 3166 names it. */
type PricesOfCountries = Readonly<
  Record<string, { readonly smsPrices?: readonly SmsPrice[] | undefined } | undefined>
>;

/** What SMS cost, by country and day. */
export class SmsPrices {
  readonly #countries: PricesOfCountries;

  constructor({ countries }: { readonly countries: PricesOfCountries }) {
    this.#countries = countries;
  }

  /**
   * @param country - as ISO 3166 names it
   * @param day - YYYY-MM-DD
   * @returns undefined where none is known
   */
  of(country: string, day: string): SmsPrice | undefined {
    return this.#countries[country]?.smsPrices
      ?.filter(({ from }) => from <= day)
      .reduce<SmsPrice | undefined>(
        (latest, each) => (latest !== undefined && latest.from > each.from ? latest : each),
        undefined,
      );
  }
}

const PLACES = 6;

/** An amount such as `0.0125` in millionths; undefined for any other text. */
export function readAmount(text: string): bigint | undefined {
  const [, whole, places = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + places.padEnd(PLACES, '0'));
}

/** An amount of millionths, with two decimal places and as many more as it needs. */
export function amountText(millionths: bigint): string {
  const digits = String(millionths).padStart(PLACES + 1, '0');
  let end = digits.length;
  while (end > digits.length - PLACES + 2 && digits.charAt(end - 1) === '0') end -= 1;
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES, end)}`;
}
