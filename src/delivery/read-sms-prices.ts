import { readDeliveryFile, SmsPrices } from './wording';

/**
 * The prices of SMS that DELIVERY_FILE names.
 *
 * @param path - undefined for no file: then none is known
 * @throws OperatorError where it cannot be read, or holds what is not allowed
 */
export function readSmsPrices(path: string | undefined): SmsPrices {
  return new SmsPrices(readDeliveryFile(path));
}
