import { countries, quietHours, smsText, text, timeZone, url } from './delivery-kinds';
import { choice, optionalFile, type Setting, wholeNumber, zeroOrWholeNumber } from './kinds';
import { textForm } from './patterns';

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
      'How SMS are sent: `file` sends nothing and appends them to `DATA_DIR`/outbox/sms.jsonl, `http` sends them through the gateways of GATEWAYS_FILE.',
  },
  SMS_TEXT: {
    default: 'Your code is {code}',
    kind: smsText,
    description: 'Text of the SMS that carries a code; {code} is replaced with it.',
  },
  GATEWAYS_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file that describes the SMS gateways, with their credentials; needed for SMS_CHANNEL=http. Reloaded on SIGHUP.',
    holdsSecret: true,
    reloads: true,
  },
  SMS_CONCURRENCY: {
    default: '16',
    kind: wholeNumber(1, 1000, 'messages'),
    description: 'Largest number of SMS in flight at once in this process.',
  },
  PUSH_CHANNEL: {
    default: 'file',
    kind: choice('file', 'fcm'),
    description:
      'How push messages are sent: `file` sends nothing and appends them to `DATA_DIR`/outbox/push.jsonl, `fcm` uses Firebase Cloud Messaging.',
  },
  PUSH_TITLE: {
    default: '{title}',
    kind: text(1000),
    description: 'Title of the push message for a note; {title} and {text} are replaced with the note’s.',
  },
  PUSH_BODY: {
    default: '{text}',
    kind: text(1000),
    description: 'Body of the push message for a note, with the same placeholders.',
  },
  FCM_SERVICE_ACCOUNT: {
    default: '',
    kind: optionalFile,
    description:
      'Key file of the Firebase service account, as downloaded from the Firebase console. SIGHUP has it read again.',
    holdsSecret: true,
    reloads: true,
  },
  FCM_URL: {
    default: 'https://fcm.googleapis.com',
    kind: url,
    description: 'Base URL of Firebase Cloud Messaging.',
  },
  FCM_TOKEN_URL: {
    default: 'https://oauth2.googleapis.com/token',
    kind: url,
    description: 'URL that issues access tokens for Firebase Cloud Messaging.',
  },
  PUSH_CONCURRENCY: {
    default: '32',
    kind: wholeNumber(1, 1000, 'messages'),
    description: 'Largest number of push messages in flight at once in this process.',
  },
  PROVIDER_TIMEOUT_SECONDS: {
    default: '10',
    kind: wholeNumber(1, 300, 'seconds'),
    description: 'Longest time a provider may take to respond; must be less than `LEASE_SECONDS`.',
  },
  LEASE_SECONDS: {
    default: '30',
    kind: wholeNumber(2, 3600, 'seconds'),
    description: 'Time after which another worker takes over the messages of one that died.',
  },
  KEEP_MESSAGES_DAYS: {
    default: '90',
    // Repetitions of a note are looked for among the messages of two days: REPEAT_WINDOW, and its lifetime.
    kind: zeroOrWholeNumber(3, 36_500, 'days'),
    description:
      'How long messages that came to their end are kept, to be seen and tried again; 0 keeps them for ever.',
  },
  DELIVERY_FILE: {
    default: '',
    kind: optionalFile,
    description:
      'JSON file with texts by language, with language, billing and prices of SMS by country, and with language, time zone and quiet hours by school. SIGHUP has it read again.',
    reloads: true,
  },
  QUIET_HOURS: {
    default: 'off',
    kind: quietHours,
    description: 'Hours during which notes wait, by the school’s own clock. Codes never wait.',
  },
  TIME_ZONE: {
    default: 'UTC',
    kind: timeZone,
    description:
      'Time zone of schools that DELIVERY_FILE does not list, and of the days by which usage is counted.',
  },
  REPEAT_WINDOW: {
    default: '600',
    kind: wholeNumber(0, DAY_SECONDS, 'seconds'),
    description:
      'The same note for the same class is sent only once within this time; 0 sends it every time.',
  },
  WAITING_NOTES_PER_SCHOOL: {
    default: '500',
    kind: wholeNumber(1, 1_000_000, 'notes'),
    description:
      'Largest number of notes of one school that wait for a class or note that is not loaded yet, or for the school itself; one more fails at once.',
  },
  WAITING_NOTES_OF_UNKNOWN_SCHOOLS: {
    default: '5000',
    kind: wholeNumber(1, 1_000_000, 'notes'),
    description:
      'Largest number of notes that wait for schools that are not loaded yet; one more fails at once.',
  },
  CODE_PATTERN: {
    default: String.raw`[\p{L}\p{M}\p{Nd} -]{1,32}`,
    kind: textForm,
    description:
      'What a code must look like as a whole: by default letters and digits of any script, blanks and hyphens. Any other code is a client error; one with control characters is in any case.',
  },
  CODE_REPEAT_SECONDS: {
    default: '60',
    kind: wholeNumber(0, 600, 'seconds'),
    description:
      'The same code for the same phone is sent only once within this time; 0 sends it every time.',
  },
  CODE_COOL_DOWN_SECONDS: {
    default: '0',
    kind: wholeNumber(0, DAY_SECONDS, 'seconds'),
    description:
      'Shortest time between two SMS to one phone, by caller where callers are known; 0 for no limit.',
  },
  CODES_PER_TEN_MINUTES: {
    default: '5',
    kind: wholeNumber(0, 10_000, 'codes'),
    description:
      'Largest number of SMS to one phone in any ten minutes, by caller where callers are known; 0 for no limit.',
  },
  CODES_PER_DAY: {
    default: '20',
    kind: wholeNumber(0, 10_000, 'codes'),
    description:
      'Largest number of SMS to one phone in any 24 hours, by caller where callers are known; 0 for no limit.',
  },
  CODES_PER_DAY_OVERALL: {
    default: '0',
    kind: wholeNumber(0, 1_000_000_000, 'codes'),
    description:
      'Largest number of codes per day (UTC) for all phones together, of which half is kept in equal shares for the known callers; 0 for no limit.',
  },
  PREMIUM_NUMBERS: {
    default: 'refuse',
    kind: choice('refuse', 'allow'),
    description:
      'Whether codes are sent to premium-rate, shared-cost, personal and satellite numbers and those of international networks.',
  },
  PUMPING_GUARD: {
    default: 'record',
    kind: choice('off', 'record', 'enforce'),
    description:
      'What happens where more codes go to a range of numbers or a country than usual: nothing, a line in the log, or that none are sent there for 12 hours; `enforce` needs DEFAULT_COUNTRY or ALLOWED_COUNTRIES.',
  },
  ALLOWED_COUNTRIES: {
    default: '*',
    kind: countries,
    description: 'Countries whose phone numbers may be sent codes.',
  },
} satisfies Record<string, Setting>;
