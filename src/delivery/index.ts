export { askBalance, reachProviders, sendTestPush, sendTestSms, type Trial } from './ask-providers';
export { type Gateway, readGateways } from './gateways/gateway-file';
export { readPresets } from './gateways/presets';
export { BodyTooComplex } from './gateways/answer-xml';
export { shadowedRules } from './gateways/shadowed-rules';
export { checkGateway } from './gateways/sms-gateway';
export { type ReceiptCall, readReceiptFile } from './gateways/receipts';
export {
  type CodeGuard,
  type CodeWatch,
  type GuardCore,
  loadCodeGuard,
  type OpenCodeGuard,
  type UnusualDestination,
} from './policy/code-guard';
export { isOfCountries, type NumberArea } from './policy/number-area';
export { createDelivery, type Delivery } from './create-delivery';
export { deliveryFindings } from './delivery-findings';
export { SYSTEM_TIMERS } from './clock';
export type { ReadReceipt } from './transports/provider-client';
