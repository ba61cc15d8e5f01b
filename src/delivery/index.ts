export { askBalance, reachProviders, sendTestPush, sendTestSms, type Trial } from './ask-providers';
export { type Gateway, readGateways } from './gateways/gateway-file';
export { readPresets } from './gateways/presets';
export { BodyTooComplex } from './gateways/answer-xml';
export { type ReceiptCall, readReceiptFile } from './gateways/receipts';
export { createDelivery, type Delivery } from './create-delivery';
export { deliveryFindings } from './delivery-findings';
export { SYSTEM_TIMERS } from './clock';
export type { ReadReceipt } from './transports/provider-client';
