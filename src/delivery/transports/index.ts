export { createTransports, type Transports } from './create-transports';
export type { PushMessage, SmsMessage, Transport } from './transport';
