/** The other side of the delivery: a provider of this machine's own, and messages to send to it. */
export { codeRequest, phoneOf } from './code-request';
export { type Behaviour, FakeProvider } from './fake-provider';
export { type LoopDelay, readLoopDelay } from './loop-delay';
export { loadOneClass, markKeys, markRequest, type OneClass } from './one-class';
export { ProviderLog } from './provider-log';
export { providerSettings } from './provider-settings';
export { newServiceAccount } from './service-account';
