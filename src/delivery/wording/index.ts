export { type DeliveryFile, readDeliveryFile } from './delivery-file';
export type { SmsParts } from './sms-parts';
export { namedTemplate } from './template';
export { Wording } from './wording';
