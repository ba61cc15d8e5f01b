/** Why the settings of the delivery cannot be used; one line for the operator. */
export class DeliverySettingError extends Error {
  override readonly name = 'DeliverySettingError';
}
