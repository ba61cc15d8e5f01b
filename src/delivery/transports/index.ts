export { createTransports, pushTransport, smsTransport, type Transports } from './create-transports';
export type { PushMessage, Reach, ReachableTransport, SmsMessage, Transport } from './transport';
