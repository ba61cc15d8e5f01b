interface SmsPrice {
  /** First day on which it applies: YYYY-MM-DD */
  readonly from: string;
  /** Whole millionths of the currency, so that sums are exact. */
  readonly price: bigint;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Name of the gateway that it applies to; undefined for all that have no price of their own. */
  readonly gateway?: string | undefined;
}

/** Prices by ISO 3166 country code. */
type PricesOfCountries = Readonly<
  Record<string, { readonly smsPrices?: readonly SmsPrice[] | undefined } | undefined>
>;

export class SmsPrices {
  readonly #countries: PricesOfCountries;

  constructor({ countries }: { readonly countries: PricesOfCountries }) {
    this.#countries = countries;
  }

  /**
   * @param country - ISO 3166 code
   * @param day - YYYY-MM-DD
   * @param gateway - name of the gateway
   * @returns undefined if no price is known
   */
  of(country: string, day: string, gateway: string): SmsPrice | undefined {
    const prices = this.#countries[country]?.smsPrices?.filter(({ from }) => from <= day) ?? [];
    const latest = prices.toSorted((one, other) => (one.from < other.from ? 1 : -1));
    return (
      latest.find((price) => price.gateway === gateway) ?? latest.find((price) => price.gateway === undefined)
    );
  }
}

const PLACES = 6;

/** Parses an amount such as `0.0125` to millionths; undefined for any other text. */
export function readAmount(text: string): bigint | undefined {
  const [, whole, places = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + places.padEnd(PLACES, '0'));
}

/** Formats millionths as an amount with at least two decimal places. */
export function amountText(millionths: bigint): string {
  const digits = String(millionths).padStart(PLACES + 1, '0');
  let end = digits.length;
  while (end > digits.length - PLACES + 2 && digits.charAt(end - 1) === '0') end -= 1;
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES, end)}`;
}
