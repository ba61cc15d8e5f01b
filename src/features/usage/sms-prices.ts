import { readDeliveryFile } from '../../delivery/wording';

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

/**
 * @param path - undefined without a file: then no price is known
 * @throws OperatorError if it is unreadable or invalid
 */
export function readSmsPrices(path: string | undefined): SmsPrices {
  return new SmsPrices(readDeliveryFile(path));
}
