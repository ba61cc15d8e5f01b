export { type ProviderReach, reachProviders, sendTestPush, sendTestSms, type Trial } from './ask-providers';
export { createDelivery, type Delivery } from './create-delivery';
export type { AttemptFacts, Outcome, TraceAttempt } from './outcome';
export { deliveryFindings } from './delivery-findings';
export { readQuietHours } from './quiet-hours-of';
export { readSmsPrices } from './read-sms-prices';
export { amountText, type SmsPrices } from './wording';
export { SYSTEM_TIMERS } from './time';
