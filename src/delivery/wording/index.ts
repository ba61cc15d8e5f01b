export { type DeliveryFile, readDeliveryFile } from './delivery-file';
export { namedTemplate } from './template';
export { type LongSms, Wording } from './wording';
