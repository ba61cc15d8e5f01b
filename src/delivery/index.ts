export { createDelivery, type Delivery } from './create-delivery';
export { DeliverySettingError } from './delivery-setting-error';
