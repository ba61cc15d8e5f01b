export { createPushTransport, createSmsTransport } from './create-transports';
export type { PushMessage, SmsMessage, Transport } from './transport';
