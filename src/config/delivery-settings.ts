import { countries, phoneNumbers, quietHours, smsText, text, timeZone, url } from './delivery-kinds';
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
  PUSH_TITLE: {
    default: '{title}',
    kind: text(1000),
    description: 'Title of the push message for a note; {title} and {text} are replaced.',
  },
  PUSH_BODY: {
    default: '{text}',
    kind: text(1000),
    description: 'Body of the push message for a note; {title} and {text} are replaced.',
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
  FCM_URL: {
    default: 'https://fcm.googleapis.com',
    kind: url,
    description: 'Base URL of Firebase Cloud Messaging.',
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
  QUIET_HOURS: {
    default: 'off',
    kind: quietHours,
    description: 'Hours during which notes wait, in the school’s time zone. Codes never wait.',
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
  WAITING_NOTES_PER_SCHOOL: {
    default: '500',
    kind: wholeNumber(1, 1_000_000, 'notes'),
    description:
      'Maximum number of notes of a school that wait for data not imported yet; ten times as many wait for unknown schools. Further ones fail at once.',
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
  CODE_COOL_DOWN_SECONDS: {
    default: '0',
    kind: wholeNumber(0, DAY_SECONDS, 'seconds'),
    description:
      'Minimum time between two SMS to one phone, per caller if callers are known; 0 for no limit.',
  },
  CODES_PER_TEN_MINUTES: {
    default: '5',
    kind: wholeNumber(0, 10_000, 'codes'),
    description:
      'Maximum number of SMS to one phone in any ten minutes, per caller if callers are known; 0 for no limit.',
  },
  CODES_PER_DAY: {
    default: '20',
    kind: wholeNumber(0, 10_000, 'codes'),
    description:
      'Maximum number of SMS to one phone in any 24 hours, per caller if callers are known; 0 for no limit.',
  },
  CODES_PER_DAY_OVERALL: {
    default: '0',
    kind: wholeNumber(0, 1_000_000_000, 'codes'),
    description:
      'Maximum number of codes per day (UTC) to all phones; half of it is reserved in equal shares for the known callers. 0 for no limit.',
  },
  ALLOWED_COUNTRIES: {
    default: '*',
    kind: countries,
    description: 'Countries to which codes are sent.',
  },
} satisfies Record<string, Setting>;
