export { createTransports, type Transports } from './create-transports';
export type { PushMessage, Reach, ReachableTransport, SmsMessage, Transport } from './transport';
