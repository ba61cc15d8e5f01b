/** The other side of the delivery: a provider of this machine's own, and messages to send to it. */
export { type Behaviour, FakeProvider, type ReceivedRequest } from './fake-provider';
export {
  codeRequest,
  keyOfMessage,
  loadOneClass,
  markKeys,
  markRequest,
  type OneClass,
  phoneOf,
  queueMark,
} from './messages';
export { ProviderLog, type Receipt, type Receipts } from './provider-log';
export {
  JSON_GATEWAY,
  providerSettings,
  serviceAccount,
  writeGatewaysFile,
  writeRoute,
  writeServiceAccount,
} from './provider-settings';
