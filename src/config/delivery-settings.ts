import {
  countries,
  headers,
  optionalFile,
  optionalPattern,
  optionalUrlTemplate,
  quietTimes,
  text,
  timeZone,
  url,
} from './delivery-kinds';
import { choice, wholeNumber, yesOrNo } from './kinds';
import type { Setting } from './setting';

const DAY_SECONDS = 86_400;

/** The settings of the delivery: part of the one table. */
export const DELIVERY_SETTINGS = {
  ROLE: {
    default: 'all',
    kind: choice('all', 'web', 'worker'),
    description:
      'What this process does: `web` answers requests, `worker` delivers messages, `all` does both.',
  },
  SMS_CHANNEL: {
    default: 'file',
    kind: choice('file', 'http'),
    description:
      'How SMS are sent; `file` sends none and writes them to `DATA_DIR`/outbox/sms.jsonl, `http` asks the gateway of the SMS_HTTP settings.',
  },
  SMS_TEXT: {
    default: 'Your code is {code}',
    kind: text(1000),
    description: 'Text of the SMS with a code, with the place {code}.',
  },
  SMS_HTTP_URL: {
    default: '',
    kind: optionalUrlTemplate,
    description:
      'Address of the gateway; in it and in the body stand {phone} (E.164), {digits} (the same without +), {text} and {id} (the message’s).',
  },
  SMS_HTTP_METHOD: {
    default: 'POST',
    kind: choice('POST', 'PUT', 'GET'),
    description: 'Method of the request; `GET` has no body.',
  },
  SMS_HTTP_HEADERS: {
    default: '{"Content-Type":"application/json"}',
    kind: headers,
    description:
      'Headers of the request; values may have the places, too. The content type says how values are escaped in the body.',
    secret: true,
  },
  SMS_HTTP_BODY: {
    default: '{"to":"{phone}","text":"{text}"}',
    kind: text(10_000),
    description: 'Body of the request.',
    secret: true,
  },
  SMS_HTTP_SUCCESS: {
    default: '',
    kind: optionalPattern,
    description:
      'What the body of a 2xx answer must match to mean that the SMS was taken; a group named `id` is the gateway’s id. Empty: any 2xx.',
  },
  SMS_HTTP_USER: {
    default: '',
    kind: text(1000),
    description: 'User name for basic authentication; empty for none.',
  },
  SMS_HTTP_PASSWORD: {
    default: '',
    kind: text(1000),
    description: 'Password for basic authentication.',
    secret: true,
  },
  SMS_HTTP_TOKEN: {
    default: '',
    kind: text(10_000),
    description: 'Bearer token; empty for none.',
    secret: true,
  },
  SMS_HTTP_IDEMPOTENT: {
    default: 'false',
    kind: yesOrNo,
    description:
      'The gateway takes the same {id} twice for one SMS; then an SMS is also sent again when it is not known whether it was taken.',
  },
  SMS_CONCURRENCY: {
    default: '16',
    kind: wholeNumber(1, 1000, 'messages'),
    description: 'Most SMS under way at once in this process.',
  },
  PUSH_CHANNEL: {
    default: 'file',
    kind: choice('file', 'fcm'),
    description:
      'How push messages are sent; `file` sends none and writes them to `DATA_DIR`/outbox/push.jsonl, `fcm` asks Firebase Cloud Messaging.',
  },
  PUSH_TITLE: {
    default: '{title}',
    kind: text(1000),
    description: 'Title of the push message with a note, with the places {title} and {text}.',
  },
  PUSH_BODY: {
    default: '{text}',
    kind: text(1000),
    description: 'Body of the push message with a note, with the same places.',
  },
  FCM_SERVICE_ACCOUNT: {
    default: '',
    kind: optionalFile,
    description: 'Key file of the Firebase service account, as the Firebase console gives it.',
  },
  FCM_URL: {
    default: 'https://fcm.googleapis.com',
    kind: url,
    description: 'Where Firebase Cloud Messaging is.',
  },
  FCM_TOKEN_URL: {
    default: 'https://oauth2.googleapis.com/token',
    kind: url,
    description: 'Where access tokens for it are had.',
  },
  PUSH_CONCURRENCY: {
    default: '32',
    kind: wholeNumber(1, 1000, 'messages'),
    description: 'Most push messages under way at once in this process.',
  },
  PROVIDER_TIMEOUT_SECONDS: {
    default: '10',
    kind: wholeNumber(1, 300, 'seconds'),
    description: 'Longest time a provider may take to answer; less than `LEASE_SECONDS`.',
  },
  LEASE_SECONDS: {
    default: '30',
    kind: wholeNumber(2, 3600, 'seconds'),
    description: 'After this time another worker takes over the messages of one that died.',
  },
  DELIVERY_FILE: {
    default: '',
    kind: optionalFile,
    description: 'JSON file of texts by language, and of language, time zone and quiet hours by school.',
  },
  QUIET_HOURS: {
    default: 'off',
    kind: quietTimes,
    description: 'When marks wait, by the clock of the school. Codes never wait.',
  },
  TIME_ZONE: {
    default: 'UTC',
    kind: timeZone,
    description: 'Where schools are that are not in DELIVERY_FILE.',
  },
  REPEAT_WINDOW: {
    default: '600',
    kind: wholeNumber(0, DAY_SECONDS, 'seconds'),
    description: 'The same note for the same class within this time is sent once; 0 sends it each time.',
  },
  CODE_REPEAT_SECONDS: {
    default: '60',
    kind: wholeNumber(0, 600, 'seconds'),
    description: 'The same code for the same phone within this time is one SMS; 0 sends each.',
  },
  CODE_COOL_DOWN_SECONDS: {
    default: '0',
    kind: wholeNumber(0, DAY_SECONDS, 'seconds'),
    description: 'Least time between different codes for one phone; 0 for none.',
  },
  CODES_PER_TEN_MINUTES: {
    default: '5',
    kind: wholeNumber(0, 10_000, 'codes'),
    description: 'Most different codes for one phone in any ten minutes; 0 for any number.',
  },
  CODES_PER_DAY: {
    default: '20',
    kind: wholeNumber(0, 10_000, 'codes'),
    description: 'Most different codes for one phone in any 24 hours; 0 for any number.',
  },
  CODES_PER_DAY_OVERALL: {
    default: '0',
    kind: wholeNumber(0, 1_000_000_000, 'codes'),
    description: 'Most codes on one day (UTC) for all phones together; 0 for any number.',
  },
  ALLOWED_COUNTRIES: {
    default: '*',
    kind: countries,
    description: 'Countries to whose phones codes are sent.',
  },
} satisfies Record<string, Setting>;
