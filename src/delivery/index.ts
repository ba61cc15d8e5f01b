export { askBalance, reachProviders, sendTestPush, sendTestSms, type Trial } from './ask-providers';
export { AnswerBody, isCode, LONGEST_ID } from './gateways/answer';
export {
  type DescribedGateway,
  type Gateway,
  readGateways,
  type ReceiptFields,
} from './gateways/gateway-file';
export { readPresets } from './gateways/presets';
export { BodyTooComplex } from './gateways/answer-xml';
export { shadowedRules } from './gateways/shadowed-rules';
export { checkGateway } from './gateways/sms-gateway';
export { fixedText } from './gateways/request';
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
export { loadReceipts, type ReceiptTaker, type SentSms, type TakeReceipts } from './receipts';
export type { AskedGateway } from './transports/transport';
