import { codeLimits, countries, phoneNumbers, smsText, timeZone } from './delivery-kinds';
import { choice, optionalFile, type Setting, wholeNumber, zeroOrWholeNumber } from './kinds';
import { textForm } from './patterns';

const DAY_SECONDS = 86_400;

export const DELIVERY_SETTINGS = {
  ROLE: {
    default: 'all',
    kind: choice('all', 'web', 'worker'),
    description: 'Role of this process: `web` answers requests, `worker` delivers messages, `all` does both.',
  },
  SMS_CHANNEL: {
    default: 'file',
    kind: choice('file', 'http'),
    description:
      'How SMS are sent: `file` sends nothing and appends them to `DATA_DIR`/outbox/sms.jsonl, `http` sends them through the gateways of GATEWAYS_FILE.',
  },
  SMS_TEXT: {
    default: 'Your code is {code}',
    kind: smsText,
    description: 'Text of the SMS with a code; {code} is replaced.',
  },
  GATEWAYS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file that describes the SMS gateways, with their credentials; needed for SMS_CHANNEL=http.',
    holdsSecret: true,
    reloads: true,
  },
  TEST_NUMBERS: {
    default: '',
    kind: phoneNumbers,
    description:
      'Phone numbers whose codes are only written to `DATA_DIR`/outbox/sms.jsonl and never sent, so that portals and app stores can test a login.',
  },
  SMS_CONCURRENCY: {
    default: '16',
    kind: wholeNumber(1, 1000, 'messages'),
    description: 'Maximum number of concurrent SMS requests in this process; twice as many push requests.',
  },
  PUSH_CHANNEL: {
    default: 'file',
    kind: choice('file', 'fcm'),
    description:
      'How push messages are sent: `fcm` uses Firebase Cloud Messaging; `file` sends nothing and appends them to `DATA_DIR`/outbox/push.jsonl.',
  },
  PUSH_CONTENT: {
    default: 'notification',
    kind: choice('notification', 'data'),
    description:
      'Content of push messages: `notification` is shown by the phone; `data` wakes an app that shows notes itself.',
  },
  FCM_SERVICE_ACCOUNT: {
    default: '',
    kind: optionalFile,
    description:
      'Key file of the Firebase service account, as downloaded from the Firebase console; its token_uri issues the access tokens.',
    holdsSecret: true,
    reloads: true,
  },
  PROVIDER_TIMEOUT_SECONDS: {
    default: '10',
    kind: wholeNumber(1, 300, 'seconds'),
    description:
      'Timeout for a provider; after three times as long, another worker takes over the messages of a dead one.',
  },
  KEEP_MESSAGES_DAYS: {
    default: '90',
    // Duplicates of a note are searched for among the messages of two days: REPEAT_WINDOW, and its lifetime.
    kind: zeroOrWholeNumber(3, 36_500, 'days'),
    description: 'How long finished messages are kept; 0 keeps them forever.',
  },
  DELIVERY_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file with texts by language, SMS prices by country, and language, time zone and quiet hours by school.',
    reloads: true,
  },
  TIME_ZONE: {
    default: 'UTC',
    kind: timeZone,
    description:
      'Time zone of schools not listed in DELIVERY_FILE, of the console and commands, and of the days in usage reports.',
  },
  REPEAT_WINDOW: {
    default: '600',
    kind: wholeNumber(0, DAY_SECONDS, 'seconds'),
    description: 'Time within which the same note is sent to a class only once; 0 sends it every time.',
  },
  CODE_PATTERN: {
    default: String.raw`[\p{L}\p{M}\p{Nd} -]{1,32}`,
    kind: textForm,
    description:
      'Format of valid codes, by default letters and digits of any script, spaces and hyphens. Other codes are rejected with a client fault.',
  },
  CODE_REPEAT_SECONDS: {
    default: '60',
    kind: wholeNumber(0, 600, 'seconds'),
    description: 'Time within which the same code is sent to a phone only once; 0 sends it every time.',
  },
  CODE_LIMITS: {
    default: '5/10m,20/24h',
    kind: codeLimits,
    description:
      'Maximum number of SMS to one phone in any ten minutes and in any 24 hours, and `1/30s` for 30 seconds between two, all per caller if callers are known; and the maximum number of codes to all phones per day (UTC), half of it reserved in equal shares for the known callers.',
  },
  ALLOWED_COUNTRIES: {
    default: '*',
    kind: countries,
    description: 'Countries to which codes are sent.',
  },
} satisfies Record<string, Setting>;
