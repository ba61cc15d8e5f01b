import { PROGRAM_NAME } from '../../support/program-name';
import { numberText } from '../../support/text';

/** What a request of SendMarkNotes names. */
export type NamedThing = 'school' | 'class' | 'note';

interface Answer {
  /** Of the provider's answer over HTTP. */
  readonly status: number;
  /** The provider's own code of the error. */
  readonly detail?: string | undefined;
}

interface Failure {
  /** A code, or the name of an error's class. */
  readonly error: string;
}

/** What each reason carries beside its code. Nothing of it is personal data: it is stored, logged and shown. */
interface ReasonParams {
  readonly provider_timeout: unknown;
  readonly connection_failed: Failure;
  readonly proxy_refused: Pick<Answer, 'status'>;
  readonly provider_busy: Answer;
  readonly provider_failing: Answer;
  readonly provider_rejected: Answer;
  readonly credentials_rejected: Answer;
  readonly success_missing: Answer;
  readonly answer_unreadable: unknown;
  readonly token_dead: Answer;
  readonly device_busy: unknown;
  readonly platform_credentials_rejected: unknown;
  readonly sender_mismatch: unknown;
  readonly access_token_refused: unknown;
  /** Why the server of access tokens did not answer, or with which status. */
  readonly access_token_missing: {
    readonly cause?: Reason | undefined;
    readonly status?: number | undefined;
  };
  readonly file_not_written: Failure;
  readonly workers_ended: unknown;
  readonly service_failed: unknown;
  readonly school_unknown: unknown;
  readonly class_unknown: unknown;
  readonly note_unknown: unknown;
  readonly too_many_waiting: { readonly missing: NamedThing };
  readonly note_removed: unknown;
  readonly device_gone: unknown;
  readonly no_devices: unknown;
  /** Of a request; `others` of the push messages that did not go have other reasons than the first, the commonest one. */
  readonly pushes_not_sent: {
    readonly notSent: number;
    readonly pushes: number;
    readonly first: Reason | null;
    readonly others: number;
  };
  readonly expired: unknown;
  readonly repeated: unknown;
  readonly cancelled: unknown;
}

export type ReasonCode = keyof ReasonParams;

/** Why a message was not sent, or not yet. */
export type Reason<Code extends ReasonCode = ReasonCode> = {
  readonly [Each in Code]: { readonly code: Each } & ReasonParams[Each];
}[Code];

interface ReasonTexts<Code extends ReasonCode> {
  /** Follows "3 of 25 did not go:", too. */
  readonly sentence: (reason: Reason<Code>) => string;
  /** What to do about it. */
  readonly advice: (reason: Reason<Code>) => string;
}

const REASONS: { readonly [Code in ReasonCode]: ReasonTexts<Code> } = {
  provider_timeout: {
    sentence: () => 'The provider did not answer in time.',
    advice: () =>
      'The provider may have sent it: a code is therefore not sent twice. Ask the provider, with the time of the attempt. PROVIDER_TIMEOUT_SECONDS sets how long it may take.',
  },
  connection_failed: {
    sentence: ({ error }) => `The connection to the provider failed (${error}).`,
    advice: () =>
      `Check the network, the firewall and the address in the settings. ${PROGRAM_NAME} check tries the connection.`,
  },
  proxy_refused: {
    sentence: ({ status }) => `The proxy refused the connection to the provider (HTTP ${String(status)}).`,
    advice: () => 'Check OUTBOUND_PROXY, its credentials, and what the proxy lets through.',
  },
  provider_busy: {
    sentence: answered,
    advice: () =>
      'The provider was asked for too much at once, and the service has slowed down. If that lasts, ask the provider for a higher limit.',
  },
  provider_failing: {
    sentence: answered,
    advice: () =>
      'The provider has trouble of its own: see its status page, or ask its support. Try again when it works.',
  },
  provider_rejected: {
    sentence: answered,
    advice: adviceOnRejection,
  },
  credentials_rejected: {
    sentence: answered,
    advice: () =>
      'The provider rejects the credentials in the settings, or they do not allow this. Correct them, send SIGHUP to the service or restart it, then try again.',
  },
  success_missing: {
    sentence: ({ status, detail }) => `The provider answered ${words(status, 'without success', detail)}.`,
    advice: adviceOnRejection,
  },
  answer_unreadable: {
    sentence: () => 'The answer of the gateway was cut off, or cannot be decoded.',
    advice: () =>
      'The provider may have sent it: a code is therefore not sent twice. Ask the provider, with the time of the attempt.',
  },
  token_dead: {
    sentence: ({ status, detail }) =>
      `FCM answered ${words(status, detail)}: ${detail === 'UNREGISTERED' ? 'the device is gone' : 'the token is not valid'}.`,
    advice: () =>
      'The app was removed from the telephone, or has a new token. The next import of devices.csv after the student has opened the app brings it.',
  },
  device_busy: {
    sentence: () => 'FCM answered 429: too many messages for this device.',
    advice: () => 'It is tried again by itself. Find out who sends so many notes for one class.',
  },
  platform_credentials_rejected: {
    sentence: () => 'FCM answered 401 THIRD_PARTY_AUTH_ERROR: its key for Apple’s push service is not valid.',
    advice: () =>
      'Only iOS devices are concerned. Upload a valid APNs key in the Firebase console; within 24 hours the messages then go by themselves.',
  },
  sender_mismatch: {
    sentence: () => 'The provider answered 403 SENDER_ID_MISMATCH.',
    advice: () =>
      'The token belongs to another Firebase project. Check FCM_SERVICE_ACCOUNT, or import the tokens of this project.',
  },
  access_token_refused: {
    sentence: () => 'FCM answered 401: it refuses the access token.',
    advice: adviceOnAccess,
  },
  access_token_missing: {
    sentence: ({ cause, status }) => {
      const answer = status === undefined ? undefined : `its server answered ${String(status)}`;
      const why = cause === undefined ? answer : reasonText(cause).replace(/\.$/, '');
      return `There is no access token for FCM${why === undefined ? '' : ` (${why})`}.`;
    },
    advice: adviceOnAccess,
  },
  file_not_written: {
    sentence: ({ error }) => `The file cannot be written (${error}).`,
    advice: () => 'Check the disk and the permissions of the folder DATA_DIR/outbox.',
  },
  workers_ended: {
    sentence: () => 'Every worker that tried it ended meanwhile.',
    advice: () => 'Processes ended while they sent it. Look for the cause in the log before you try again.',
  },
  service_failed: {
    sentence: () => 'The service failed; its log says why.',
    advice: () => 'Look for the id in the log, then try again.',
  },
  school_unknown: {
    sentence: () => 'The school is not known.',
    advice: adviceOnMissing,
  },
  class_unknown: {
    sentence: () => 'The class is not known.',
    advice: adviceOnMissing,
  },
  note_unknown: {
    sentence: () => 'The note is not known.',
    advice: adviceOnMissing,
  },
  too_many_waiting: {
    sentence: ({ missing }) => `The ${missing} is not known. Too many requests wait for data.`,
    advice: () =>
      'The queue is full of requests whose data is not loaded. Import the school’s data, or find out who sends them (the caller).',
  },
  note_removed: {
    sentence: () => 'The note is not known any more.',
    advice: () => 'The note was removed before its turn came. Import it again, then try again.',
  },
  device_gone: {
    sentence: () => 'The device has no valid token any more.',
    advice: () =>
      'The device’s token was declared dead, or the device was removed. The next import of devices.csv brings a new one.',
  },
  no_devices: {
    sentence: () => 'No student of the class has a device to send to.',
    advice: () => 'No student of the class uses the app yet: there is nobody to send to.',
  },
  pushes_not_sent: {
    sentence: ({ notSent, pushes, first, others }) => {
      const more = others === 1 ? 'another reason' : 'other reasons';
      return [
        `${numberText(notSent)} of ${numberText(pushes)} did not go`,
        first === null ? '.' : `: ${reasonText(first)}`,
        others === 0 ? '' : ` (and ${numberText(others)} for ${more})`,
      ].join('');
    },
    advice: ({ first, others }) =>
      [
        ...(first === null ? [] : [reasonAdvice(first)]),
        ...(others === 0 ? [] : ['The push messages below have reasons of their own.']),
      ].join(' '),
  },
  expired: {
    sentence: () => 'Too late to be sent.',
    advice: () =>
      'Find out what held it up: a provider that did not work, quiet hours, or no running worker.',
  },
  repeated: {
    sentence: () => 'The same note went to the same class shortly before.',
    advice: () =>
      'The same note for the same class was sent within REPEAT_WINDOW. To send it twice, try it again.',
  },
  cancelled: {
    sentence: () => 'The operator cancelled it.',
    advice: () => 'An operator cancelled it. If that was a mistake, try it again.',
  },
};

// The keys of a table that has all of them, and gets no others while the program runs.
export const REASON_CODES = Object.keys(REASONS) as ReasonCode[];

function answered({ status, detail }: Answer): string {
  return `The provider answered ${words(status, detail)}.`;
}

function words(...all: readonly (string | number | undefined)[]): string {
  return all.filter((word) => word !== undefined).join(' ');
}

function adviceOnRejection(): string {
  return 'The provider rejects this message; its documentation explains the code. Trying again does not help until the cause is corrected.';
}

function adviceOnAccess(): string {
  return `Check FCM_SERVICE_ACCOUNT and FCM_TOKEN_URL; ${PROGRAM_NAME} check tries them.`;
}

function adviceOnMissing(): string {
  return `Import the school’s data with ${PROGRAM_NAME} import: within 24 hours the request then goes on by itself; after that, try it again.`;
}

/** A reason in a sentence; its code, where another node of a newer version wrote one that this one does not know. */
export function reasonText<Code extends ReasonCode>(reason: Reason<Code>): string {
  return Object.hasOwn(REASONS, reason.code) ? REASONS[reason.code].sentence(reason) : reason.code;
}

/** What to do about a reason, in whole sentences. */
export function reasonAdvice<Code extends ReasonCode>(reason: Reason<Code>): string {
  return Object.hasOwn(REASONS, reason.code)
    ? REASONS[reason.code].advice(reason)
    : 'A newer version of the program wrote this reason: look at the message there.';
}

/** A reason as fields of a line in the log: its code, and beside it what it carries. */
export function reasonFields(reason: Reason | null): { readonly reason?: ReasonCode } {
  if (reason === null) return {};
  const { code, ...params } = reason;
  return { reason: code, ...params };
}

/** A reason as the columns of a message. */
export function reasonColumns(reason: Reason | null): {
  readonly reason: string | null;
  readonly reason_params: string | null;
} {
  if (reason === null) return { reason: null, reason_params: null };
  const { code, ...params } = reason;
  const text = JSON.stringify(params);
  return { reason: code, reason_params: text === '{}' ? null : text };
}

/** The reason that such columns hold. */
export function readReason(code: string | null, params: string | null): Reason | null {
  // Only this program writes the columns, by the function above.
  return code === null ? null : ({ code, ...(JSON.parse(params ?? '{}') as object) } as Reason);
}
