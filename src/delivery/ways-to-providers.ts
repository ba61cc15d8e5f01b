import type { Config, Reloadable } from '../config';
import type { Provider } from './senders';
import { type PushMessage, pushTransport, type SmsMessage, smsTransport } from './transports';

/** What a request to the gateway is made of, as far as it can be taken anew. */
const GATEWAY_SETTINGS = [
  'SMS_HTTP_URL',
  'SMS_HTTP_HEADERS',
  'SMS_HTTP_BODY',
  'SMS_HTTP_USER',
  'SMS_HTTP_PASSWORD',
  'SMS_HTTP_TOKEN',
] as const;

/** The ways to the providers, as far as there are any; files have nothing that could be taken anew. */
export function waysToProviders(
  { SMS_CHANNEL, PUSH_CHANNEL }: Config,
  sms: Provider<SmsMessage>,
  push: Provider<PushMessage>,
): readonly Reloadable[] {
  const toGateway: Reloadable = {
    settings: GATEWAY_SETTINGS,
    reload: (config) => {
      sms.use(smsTransport(config));
    },
  };
  const toFirebase: Reloadable = {
    settings: ['FCM_SERVICE_ACCOUNT'],
    reload: (config) => {
      push.use(pushTransport(config));
    },
  };
  return [...(SMS_CHANNEL === 'http' ? [toGateway] : []), ...(PUSH_CHANNEL === 'fcm' ? [toFirebase] : [])];
}
