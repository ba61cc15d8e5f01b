import { PROGRAM_NAME } from '../../support/program-name';
import { asPhrase, englishText, type Line, type Phrase, type Sentence } from '../../support/phrase';

/** Things that a SendMarkNotes request names. */
export type NamedThing = 'school' | 'class' | 'note';

interface ProviderAnswer {
  /** HTTP status of the provider's answer. */
  readonly status: number;
  /** The provider's own error code. */
  readonly detail?: string | undefined;
  /** Meaning of the code, from the gateway's description. */
  readonly meaning?: string | undefined;
  readonly gateway?: string | undefined;
}

interface Failure {
  /** A code, or the name of an error's class. */
  readonly error: string;
}

/** Names what can hold due messages: of a gateway, or of all. */
export type HoldCause = 'account' | 'failing' | 'pause' | 'rate' | 'worker' | 'database';

/** Describes what held a message until it expired. */
export interface HeldBy {
  readonly cause: HoldCause | 'quiet';
  readonly gateway?: string | null;
  /** Answer of the gateway that began it. */
  readonly reason?: Reason | null;
  /** Milliseconds since 1970 UTC. */
  readonly since?: number;
}

/** Parameters of each reason. None is personal data: they are stored, logged and shown. */
interface ReasonParams {
  readonly provider_timeout: unknown;
  readonly connection_failed: Failure;
  readonly connection_closed: Failure;
  readonly proxy_refused: Pick<ProviderAnswer, 'status'>;
  readonly provider_busy: ProviderAnswer;
  readonly provider_failing: ProviderAnswer;
  readonly provider_rejected: ProviderAnswer;
  readonly account_stopped: ProviderAnswer;
  readonly answer_unmatched: ProviderAnswer;
  readonly answer_unreadable: unknown;
  readonly token_dead: ProviderAnswer;
  readonly device_busy: unknown;
  readonly platform_credentials_rejected: unknown;
  readonly sender_mismatch: unknown;
  readonly access_token_refused: unknown;
  /** Error or status with which the access token server failed. */
  readonly access_token_missing: {
    readonly cause?: Reason | undefined;
    readonly status?: number | undefined;
    readonly detail?: 'invalid_grant';
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
  /**
   * For a request; `others` is the number of unsent push messages with other reasons than the first, the most
   * frequent one.
   */
  readonly pushes_not_sent: {
    readonly notSent: number;
    readonly pushes: number;
    readonly first: Reason | null;
    readonly others: number;
  };
  /** `held` is missing if nothing held it, and for messages of versions that did not record it. */
  readonly expired: { readonly held?: HeldBy };
  readonly repeated: unknown;
  readonly cancelled: unknown;
}

export type ReasonCode = keyof ReasonParams;

/** Reason why a message was not sent, or not yet. */
export type Reason<Code extends ReasonCode = ReasonCode> = {
  readonly [Each in Code]: { readonly code: Each } & ReasonParams[Each];
}[Code];

const ADVICE_ON_ACCESS =
  `Check FCM_SERVICE_ACCOUNT and the token_uri in its file. Run ${PROGRAM_NAME} check to test them.` as const;
const ADVICE_ON_MISSING =
  `Import the school’s data with ${PROGRAM_NAME} import. Within 24 hours the note is then sent automatically; after that, retry it.` as const;

/** Lists what reasons say, and what they advise the operator; values have names in braces. */
const TEXTS = {
  provider_timeout: {
    sentence: 'The provider did not answer in time.',
    advice:
      'The provider may have sent it, so a code is not sent twice. Ask the provider, quoting the time of the attempt. PROVIDER_TIMEOUT_SECONDS sets the time limit.',
  },
  connection_failed: {
    sentence: 'Could not connect to the provider ({error}).',
    advice: `Check the network, the firewall and the address in the settings. Run ${PROGRAM_NAME} check to test the connection.`,
  },
  connection_closed: {
    sentence: 'The provider closed the connection without answering ({error}).',
    advice:
      'The provider may have sent it, so a code is not sent twice. If the gateway recognizes a repeated id, send it {id} and set "idempotent": true in GATEWAYS_FILE; the service then repeats such requests.',
  },
  proxy_refused: {
    sentence: 'The proxy refused the connection to the provider (HTTP {n}).',
    advice: 'Check HTTPS_PROXY and HTTP_PROXY, their credentials and the rules of the proxy.',
  },
  provider_busy: {
    sentence: '{who} is limiting our rate ({answer}).',
    advice: 'The service has slowed down. If this persists, ask the provider for a higher limit.',
  },
  provider_failing: {
    sentence: '{who} failed ({answer}).',
    advice: 'See the provider’s status page or contact its support. Retry when it works again.',
  },
  provider_rejected: {
    sentence: '{who} rejected the message ({answer}).',
    advice: 'The provider’s documentation explains the code. Correct the cause before you retry.',
  },
  account_stopped: {
    sentence: '{who} refuses the account ({answer}).',
    advice:
      'No message gets through. Correct the credentials or the sender, or top up the credit. The service tries one message a minute and sends the rest as soon as one is accepted.',
  },
  answer_unmatched: {
    sentence: '{who} gave a response that no rule in GATEWAYS_FILE matches ({answer}).',
    advice:
      'The provider may have sent it, so a code is not sent twice. Look the answer up in the provider’s documentation and add a rule for it.',
  },
  answer_unreadable: {
    sentence: 'The gateway’s response was cut off or could not be decoded.',
    advice:
      'The provider may have sent it, so a code is not sent twice. Ask the provider, quoting the time of the attempt.',
  },
  token_dead: {
    sentence: 'The device token is not valid ({answer}).',
    unregistered: 'The device is no longer registered with FCM ({answer}).',
    advice:
      'The app was removed from the phone, or it has a new token. After the student has opened the app, the next import of devices.csv brings the new token.',
  },
  device_busy: {
    sentence: 'FCM refused the message: too many for this device (HTTP 429).',
    advice: 'It will be retried automatically. Find out which caller sends notes to one class this often.',
  },
  platform_credentials_rejected: {
    sentence: 'FCM’s key for Apple’s push service is not valid (HTTP 401, THIRD_PARTY_AUTH_ERROR).',
    advice:
      'Only iOS devices are affected. Upload a valid APNs key in the Firebase console; messages less than 24 hours old are then sent automatically.',
  },
  sender_mismatch: {
    sentence: 'The device token belongs to another Firebase project (HTTP 403, SENDER_ID_MISMATCH).',
    advice: 'Check FCM_SERVICE_ACCOUNT, or import the tokens of this project.',
  },
  access_token_refused: {
    sentence: 'FCM rejected the access token (HTTP 401).',
    advice: ADVICE_ON_ACCESS,
  },
  access_token_missing: {
    sentence: 'Could not get an access token for FCM.',
    withCause: 'Could not get an access token for FCM ({why}).',
    answer: 'its server answered HTTP {n}',
    grant:
      'its server answered HTTP {n}, invalid_grant: this machine’s clock is wrong, or the key was deleted',
    advice: ADVICE_ON_ACCESS,
  },
  file_not_written: {
    sentence: 'Could not write the message to its file ({error}).',
    advice: 'Check the disk space and the permissions of DATA_DIR/outbox.',
  },
  workers_ended: {
    sentence: 'Every worker that tried to send it died.',
    advice: 'Find the cause in the log before you retry.',
  },
  service_failed: {
    sentence: 'Internal error. See the service’s log.',
    advice: 'Search the log for the message id, then retry.',
  },
  school_unknown: {
    sentence: 'Unknown school.',
    advice: ADVICE_ON_MISSING,
  },
  class_unknown: {
    sentence: 'Unknown class.',
    advice: ADVICE_ON_MISSING,
  },
  note_unknown: {
    sentence: 'Unknown note.',
    advice: ADVICE_ON_MISSING,
  },
  too_many_waiting: {
    sentence: 'Unknown {thing}, and too many notes are already waiting for data.',
    advice:
      'Import the school’s data, or find out which caller sends notes for schools, classes or notes that do not exist.',
  },
  note_removed: {
    sentence: 'The note no longer exists.',
    advice: 'The note was removed before it could be sent. Import it again, then retry.',
  },
  device_gone: {
    sentence: 'The device no longer has a valid token.',
    advice:
      'FCM no longer accepts its token, or the device was removed. The next import of devices.csv brings a new one.',
  },
  no_devices: {
    sentence: 'No student in the class has a device.',
    advice: 'No student in this class uses the app yet.',
  },
  pushes_not_sent: {
    sentence: '{n} of {m} not sent.',
    alike: '{n} of {m} not sent: {first}.',
    oneOther: '{n} of {m} not sent: {first} (and {k} for another reason).',
    others: '{n} of {m} not sent: {first} (and {k} for other reasons).',
    advice: 'Each push message below shows its own reason.',
  },
  expired: {
    sentence: 'Expired before it could be sent.',
    advice: 'It waited for a free worker until its end. The log of the worker shows what it did meanwhile.',
  },
  repeated: {
    sentence: 'The same note was sent to the same class shortly before.',
    advice: 'REPEAT_WINDOW suppresses repeated notes. Retry it to send the note twice.',
  },
  cancelled: {
    sentence: 'Cancelled by an operator.',
    advice: 'If that was a mistake, retry it.',
  },
} as const satisfies Readonly<Record<ReasonCode, Readonly<Record<string, string>>>>;

const EXPIRED_WHILE = {
  account: 'Expired while {who} refused the account ({answer}).',
  failing: 'Expired while {who} was failing ({answer}).',
  pause: 'Expired while {who} asked for a pause ({answer}).',
  rate: 'Expired because {who} accepted fewer messages than were waiting.',
  worker: 'Expired while no worker was running.',
  database: 'Expired while the database was not responding.',
  quiet: 'Expired during quiet hours.',
} as const satisfies Readonly<Record<HeldBy['cause'], string>>;

/** Advice where no answer of a gateway has some. */
const ADVICE_ON_HOLD = {
  account: 'Correct the credentials or the sender, or top up the credit.',
  failing: 'See the provider’s status page or contact its support.',
  pause: 'Ask the provider for a higher limit.',
  rate: 'Ask the provider for a higher limit, or add another gateway.',
  worker: 'Keep a worker running (ROLE=all or ROLE=worker). The log has the reason why it ended.',
  database: 'Check the database and its disk. The log of the service has the error.',
  quiet: 'Shorten QUIET_HOURS, or the hours of the school in DELIVERY_FILE.',
} as const satisfies Readonly<Record<HeldBy['cause'], string>>;

/** Names a provider and its answer. */
const ANSWERS = {
  none: 'no answer',
  provider: 'The provider',
  status: 'HTTP {status}',
  statusMeaning: 'HTTP {status}: {meaning}',
  statusCode: 'HTTP {status}, code {code}',
  statusCodeMeaning: 'HTTP {status}, code {code}: {meaning}',
  code: 'code {code}',
  codeMeaning: '{code}: {meaning}',
} as const;

/** Stands for advice on reasons that a newer version wrote. */
const NEWER = 'A newer version of the program recorded this reason. View the message there.';

type TextOf<Table> = Table[keyof Table];
/** A text about reasons; features translate all of them. */
export type ReasonText =
  | TextOf<{ [Code in ReasonCode]: TextOf<(typeof TEXTS)[Code]> }>
  | TextOf<typeof EXPIRED_WHILE>
  | TextOf<typeof ADVICE_ON_HOLD>
  | TextOf<typeof ANSWERS>
  | NamedThing
  | typeof NEWER;

/** Fills in the texts of reasons that have values. A sentence also follows "3 of 25 not sent:". */
const FILLED: { readonly [Code in ReasonCode]?: (reason: Reason<Code>) => Sentence<ReasonText> } = {
  connection_failed: ({ error }) => ({ text: TEXTS.connection_failed.sentence, values: { error } }),
  connection_closed: ({ error }) => ({ text: TEXTS.connection_closed.sentence, values: { error } }),
  proxy_refused: ({ status }) => ({ text: TEXTS.proxy_refused.sentence, values: { n: status } }),
  provider_busy: (answer) => answered(TEXTS.provider_busy.sentence, answer),
  provider_failing: (answer) => answered(TEXTS.provider_failing.sentence, answer),
  provider_rejected: (answer) => answered(TEXTS.provider_rejected.sentence, answer),
  account_stopped: (answer) => answered(TEXTS.account_stopped.sentence, answer),
  answer_unmatched: (answer) => answered(TEXTS.answer_unmatched.sentence, answer),
  token_dead: (answer) =>
    answered(TEXTS.token_dead[answer.detail === 'UNREGISTERED' ? 'unregistered' : 'sentence'], answer),
  access_token_missing: ({ cause, status, detail }) => {
    const { sentence, withCause, answer, grant } = TEXTS.access_token_missing;
    const text = detail === undefined ? answer : grant;
    const given = status === undefined ? undefined : { text, values: { n: status } };
    const why = cause === undefined ? given : asPhrase(reasonSentence(cause));
    return why === undefined ? sentence : { text: withCause, values: { why } };
  },
  file_not_written: ({ error }) => ({ text: TEXTS.file_not_written.sentence, values: { error } }),
  too_many_waiting: ({ missing }) => ({
    text: TEXTS.too_many_waiting.sentence,
    values: { thing: { text: missing } },
  }),
  pushes_not_sent: ({ notSent, pushes, first, others }) => {
    const { sentence, alike, oneOther, others: several } = TEXTS.pushes_not_sent;
    const values = { n: notSent, m: pushes };
    if (first === null) return { text: sentence, values };
    const more = others === 1 ? oneOther : several;
    return {
      text: others === 0 ? alike : more,
      values: { ...values, first: asPhrase(reasonSentence(first)), k: others },
    };
  },
  expired: ({ held }) => {
    if (held === undefined) return TEXTS.expired.sentence;
    const values = { who: held.gateway ?? '', answer: briefAnswer(held.reason ?? null) };
    return { text: EXPIRED_WHILE[held.cause], values };
  },
};

/** Returns the gateway's code with its meaning, or what is known instead, to stand in parentheses. */
export function briefAnswer(reason: Reason | null): Phrase<ReasonText> | Line {
  if (reason === null) return { text: ANSWERS.none };
  // Of reasons that are no answers, these are missing.
  const { status, detail, meaning } = reason as Partial<ProviderAnswer>;
  if (reason.code === 'access_token_missing' || status === undefined) return asPhrase(reasonSentence(reason));
  const values = { status: String(status), code: detail ?? '', meaning: { line: meaning ?? '' } };
  if (detail === undefined)
    return { text: meaning === undefined ? ANSWERS.status : ANSWERS.statusMeaning, values };
  return { text: meaning === undefined ? ANSWERS.code : ANSWERS.codeMeaning, values };
}

/** Reasons after which the provider may have sent the message all the same. */
const MAY_HAVE_SENT: readonly ReasonCode[] = [
  ...(['provider_timeout', 'connection_closed', 'answer_unmatched', 'answer_unreadable'] as const),
  'workers_ended',
];

/** Returns true if the provider may have sent a message that failed for this reason. */
export function mayHaveBeenSent(reason: Reason | null): boolean {
  return reason !== null && MAY_HAVE_SENT.includes(reason.code);
}

// The keys of a complete table that never changes.
export const REASON_CODES = Object.keys(TEXTS) as ReasonCode[];

/** Returns a phrase about a response, such as `HTTP 400, code 21211: not a valid number`. */
function answered(
  text: ReasonText,
  { status, detail, meaning, gateway }: ProviderAnswer,
): Phrase<ReasonText> {
  const { status: bare, statusMeaning, statusCode, statusCodeMeaning } = ANSWERS;
  const values = { status: String(status), code: detail ?? '', meaning: { line: meaning ?? '' } };
  const [plain, explained] = detail === undefined ? [bare, statusMeaning] : [statusCode, statusCodeMeaning];
  const answer = { text: meaning === undefined ? plain : explained, values };
  return { text, values: { who: gateway ?? { text: ANSWERS.provider }, answer } };
}

/** Describes a reason in a sentence; returns only the code if a node of a newer version wrote it. */
export function reasonSentence<Code extends ReasonCode>(reason: Reason<Code>): Sentence<ReasonText> {
  if (!Object.hasOwn(TEXTS, reason.code)) return { line: reason.code };
  return FILLED[reason.code]?.(reason) ?? TEXTS[reason.code].sentence;
}

export function reasonText(reason: Reason): string {
  return englishText(reasonSentence(reason));
}

/** Returns advice to the operator, in sentences. */
export function adviceOnReason(reason: Reason): readonly ReasonText[] {
  if (!Object.hasOwn(TEXTS, reason.code)) return [NEWER];
  const { advice } = TEXTS[reason.code];
  if (reason.code === 'pushes_not_sent') {
    const { first, others } = reason;
    return [...(first === null ? [] : adviceOnReason(first)), ...(others === 0 ? [] : [advice])];
  }
  if (reason.code !== 'expired' || reason.held === undefined) return [advice];
  const { held } = reason;
  return held.reason ? adviceOnReason(held.reason) : [ADVICE_ON_HOLD[held.cause]];
}

/** Returns the log fields of a reason: its code, and its parameters. */
export function reasonFields(reason: Reason | null): { readonly reason?: ReasonCode } {
  if (reason === null) return {};
  const { code, ...params } = reason;
  return { reason: code, ...params };
}

export function reasonColumns(reason: Reason | null): {
  readonly reason: string | null;
  readonly reason_params: string | null;
} {
  if (reason === null) return { reason: null, reason_params: null };
  const { code, ...params } = reason;
  const text = JSON.stringify(params);
  return { reason: code, reason_params: text === '{}' ? null : text };
}

export function readReason(code: string | null, params: string | null): Reason | null {
  // Only this program writes the columns, by the function above.
  return code === null ? null : ({ code, ...(JSON.parse(params ?? '{}') as object) } as Reason);
}
