import { type AttemptRecord, type DeliveryRecord, hasProvider, holdsCode } from '../../store';
import { PROGRAM_NAME } from '../../support/program-name';
import { isoTime, recipientOf } from './records';

/** What to do about a reason, in the order in which they are looked through. */
const BY_REASON: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /UNREGISTERED/,
    'The app was taken off the telephone, or made a new token. The next import of devices.csv, after the pupil has opened the app, brings the new one.',
  ],
  [
    /SENDER_ID_MISMATCH/,
    'The token belongs to another Firebase project. Look at FCM_SERVICE_ACCOUNT, or import the tokens of this project.',
  ],
  [
    /access token/,
    `Look at FCM_SERVICE_ACCOUNT and FCM_TOKEN_URL; ${PROGRAM_NAME} check says whether they can be used.`,
  ],
  [
    /answered 40[13]\b/,
    'The provider does not take the credentials of the settings, or they may not do this. Mend them, send SIGHUP to the service or start it again, then try it again.',
  ],
  [/answered 429\b/, 'The provider was asked for too much at once. It is tried again by itself.'],
  [
    /answered 5\d\d\b/,
    'The provider has trouble of its own. Try it again when it works; its status page or its support knows more.',
  ],
  [
    /answered \d{3}\b/,
    'The provider refuses this message. Its documentation says what the code means; trying it again changes nothing until the cause is mended.',
  ],
  [
    /did not answer in time|cut off/,
    'The provider may have sent it: a code is therefore not sent twice. Ask the provider with the time of the attempt; PROVIDER_TIMEOUT_SECONDS says how long it may take.',
  ],
  [
    /connection to the provider failed/,
    `The provider could not be reached: look at the network, the firewall and the address in the settings. ${PROGRAM_NAME} check tries the connection.`,
  ],
  [
    /Too many requests wait for data/,
    'Requests for data that nobody loads fill the queue. Import the school’s data, or look at who sends them (the caller).',
  ],
  [
    /The (?:school|class|note) is not known\./,
    `Import the school’s data with ${PROGRAM_NAME} import: the request goes on by itself within 24 hours, after that it is to be tried again.`,
  ],
  [
    /The note is not known any more/,
    'The note was removed before its turn came. Import it again, then try again.',
  ],
  [
    /no valid token any more/,
    'The device’s token was declared dead, or the device was removed. The next import of devices.csv brings a new one.',
  ],
  [/has a device to send to/, 'Nobody of the class uses the app yet: there is nobody to send to.'],
  [
    /same note went/,
    'The same note for the same class was sent within REPEAT_WINDOW. If it is to go twice, try it again.',
  ],
  [/operator cancelled/, 'Somebody cancelled it. Try it again if that was not meant.'],
  [
    /Every worker that tried it ended/,
    'Processes ended while they sent it. Look for the reason in the log before it is tried again.',
  ],
  [/service failed/, 'Look for the id in the log, which says why; then try it again.'],
  [/file cannot be written/, 'Look at the disk and the rights of the folder DATA_DIR/outbox.'],
  [
    /did not go/,
    'The push messages below have reasons of their own. Mend those, then try the request again.',
  ],
];

/**
 * What a message's state means for who waits for it, and what to do; in whole sentences.
 *
 * @param now - milliseconds since 1970 UTC
 */
export function adviceOn(message: DeliveryRecord, now: number): string {
  const { state, reason } = message;
  const ofReason = BY_REASON.find(([pattern]) => pattern.test(reason ?? ''))?.[1];
  return [
    BY_STATE[state](message, now),
    ...(state === 'sent' || ofReason === undefined ? [] : [ofReason]),
  ].join(' ');
}

const BY_STATE: Readonly<Record<DeliveryRecord['state'], (message: DeliveryRecord, now: number) => string>> =
  {
    queued: ({ nextAttemptAt, attempts }, now) => {
      if (nextAttemptAt <= now) return 'It is due: the next free worker sends it.';
      const why =
        attempts > 0
          ? 'after an attempt that failed'
          : 'for quiet hours, or for data that is still to be loaded';
      return `It waits until ${isoTime(nextAttemptAt)}, ${why}.`;
    },
    sending: () => 'A worker is sending it now.',
    open: () => 'Push messages were made of it, and some of them are still to be sent.',
    sent: ({ channel, updatedAt }) =>
      !hasProvider(channel)
        ? 'All of its push messages were sent.'
        : `The provider took it at ${isoTime(updatedAt)}. Whether it reached the telephone, the provider knows: ask it with its id.`,
    partly: () => 'Some of its push messages went, and some did not.',
    failed: ({ channel, expiresAt }, now) =>
      holdsCode(channel) && expiresAt <= now
        ? 'It was not sent, and the code is worth nothing any more: a new one has to be asked for.'
        : 'It was not sent, and is not tried again by itself.',
    expired: ({ channel }) =>
      holdsCode(channel)
        ? 'Its time was over before it could be sent: a new code has to be asked for.'
        : 'Its time was over before it could be sent.',
    suppressed: () => 'It was not to be sent.',
  };

export const ATTEMPT_COLUMNS = [
  'attempt',
  'at',
  'provider',
  'outcome',
  'status',
  'ms',
  'parts',
  'id at the provider',
  'reason',
];

/** What is known of a message, by name; a telephone number is masked. */
export function factsOf(message: DeliveryRecord): readonly (readonly [name: string, value: string])[] {
  const facts: Readonly<Record<string, string | number | null>> = {
    id: message.id,
    channel: message.channel,
    state: message.state,
    to: recipientOf(message),
    school: message.school,
    caller: message.caller,
    request: message.requestId,
    'without a device': message.withoutDevice,
    attempts: message.attempts,
    created: isoTime(message.createdAt),
    changed: isoTime(message.updatedAt),
    'next attempt': message.state === 'queued' ? isoTime(message.nextAttemptAt) : null,
    expires: isoTime(message.expiresAt),
    'id at the provider': message.providerId,
    reason: message.reason,
  };
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, String(value)] as const],
  );
}

/** An attempt, in as many cells as there are columns. */
export function attemptCells(attempt: AttemptRecord): readonly string[] {
  const { number, at, provider, outcome, status, milliseconds, parts, providerId, reason } = attempt;
  return [
    ...[String(number), isoTime(at), provider ?? 'none asked', outcome],
    ...[status, milliseconds, parts, providerId, reason].map((value) =>
      value === null ? '' : String(value),
    ),
  ];
}
