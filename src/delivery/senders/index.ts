export { Provider } from './provider';
export { markRequestResolver } from './resolve-mark-requests';
export { pushSender } from './send-push';
export { smsSender } from './send-sms';
