export { type DeliveryFile, readDeliveryFile } from './delivery-file';
export { amountText, SmsPrices } from './sms-prices';
export { namedTemplate } from './template';
export { type LongSms, Wording } from './wording';
