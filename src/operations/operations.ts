import { hash } from 'node:crypto';

import type { CountryCode } from 'libphonenumber-js/max';

import type { Delivery } from '../delivery';
import { canonicalSchoolUrl, type Exam, type KeyForm, NOTE_LIFETIME_MS, type Store } from '../store';
import { maskPhone, maskToken } from '../support/masks';
import { ClientError, MAX_LENGTHS, normalisePhone, required, requiredKey } from './arguments';
import { type Operation, type OperationName, ReadDocument, SENDING } from './contract';
import { getStudentSchool } from './get-student-school';

/** Lifetime of a code, in milliseconds; later it is useless. */
const LIFETIME_MS = 5 * 60_000;

interface AuthCodeDependencies {
  /** Stores a code for delivery unless the send policy forbids it; resolves when it is durable. */
  readonly acceptCode: Delivery['acceptCode'];
  /** Country of phone numbers without a country code. */
  readonly country: CountryCode | undefined;
  /** Returns true for a text in the form of codes. */
  readonly isCode: (text: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores an SMS with the code, and answers when it is durable, without waiting for the provider. */
export function authCode({ acceptCode, country, isCode, now }: AuthCodeDependencies): Operation<'AuthCode'> {
  return async (args, call) => {
    const code = required(args, 'code', MAX_LENGTHS.code);
    if (!isCode(code)) throw new ClientError('Parameter code has an invalid format.');
    const phone = normalisePhone(required(args, 'phone', MAX_LENGTHS.key), country);
    call.annotate({ phone: maskPhone(phone) });

    const createdAt = now();
    const decision = await acceptCode({
      code,
      phone,
      caller: call.caller,
      trace: call.trace,
      createdAt,
      expiresAt: createdAt + LIFETIME_MS,
    });
    switch (decision.kind) {
      case 'stored':
        call.annotate({ messageId: decision.messageId });
        if (decision.unusual === true) call.annotate({ unusual: true });
        return undefined;
      case 'repeated': // A client that asks again: the answer is the first one's.
        call.annotate({ messageId: decision.messageId, repeated: true });
        return undefined;
      case 'too-many':
        call.annotate({ retryAfterSeconds: decision.retryAfterSeconds });
        if (decision.unusual === true) call.annotate({ unusual: true });
        throw new ClientError(
          `Too many codes for this phone. Try again in ${String(decision.retryAfterSeconds)} s.`,
          'Too many codes for this phone.',
        );
      case 'premium-number':
        throw new ClientError('Codes are not sent to premium and satellite numbers.');
      case 'country-not-served':
        throw new ClientError('Codes are not sent to phone numbers in this country.');
    }
  };
}

interface GetExamTableDependencies {
  readonly exams: Pick<Store['exams'], 'find'>;
  readonly keyForm: KeyForm;
}

/** Returns an exam and its timetable, entries by date and time. The access is logged. */
function getExamTableByExamId({
  exams,
  keyForm,
}: GetExamTableDependencies): Operation<'GetExamTableByExamId'> {
  return async (args, call) => {
    const exam = await exams.find(requiredKey(args, 'ExamId', keyForm));
    call.annotate({ found: exam !== undefined, entries: exam?.entries.length ?? 0 });
    return exam === undefined
      ? new ReadDocument(404, 'Exam not found.', [])
      : new ReadDocument(200, 'OK', timetable(exam));
  };
}

function timetable({ id, name, entries }: Exam): ReadDocument['data'] {
  return entries.map((entry) => ({
    examDate: monthFirst(entry.examDate),
    subjectName: entry.subjectName,
    examId: id,
    startTime: entry.startTime,
    duration: String(entry.durationMinutes),
    examName: name,
  }));
}

/** Converts YYYY-MM-DD to MM/DD/YYYY, which the apps parse. */
function monthFirst(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${month}/${day}/${year}`;
}

interface GetStudentsNoteTypeDependencies {
  readonly noteTypes: Pick<Store['noteTypes'], 'all'>;
}

/** Returns the note types. The access is logged. */
function getStudentsNoteType({
  noteTypes,
}: GetStudentsNoteTypeDependencies): Operation<'GetStudentsNoteType'> {
  return async (_args, call) => {
    const types = await noteTypes.all();
    call.annotate({ found: types.length > 0, entries: types.length });
    return new ReadDocument(
      200,
      'OK',
      types.map(({ id, name }) => ({ id, name })),
    );
  };
}

interface GetTokenDeviceDependencies {
  readonly devices: Pick<Store['devices'], 'tokenOf'>;
  readonly keyForm: KeyForm;
}

/** Returns the push token of a device; an empty string if the device is unknown, or its token is dead. */
function getTokenDevice({ devices, keyForm }: GetTokenDeviceDependencies): Operation<'GetTokenDevice'> {
  return async (args, call) => {
    const token = await devices.tokenOf(requiredKey(args, 'id', keyForm));
    call.annotate(token === '' ? { found: false } : { found: true, token: maskToken(token) });
    return token;
  };
}

interface SendMarkNotesDependencies {
  readonly messages: Pick<Store['messages'], 'enqueue'>;
  readonly keyForm: KeyForm;
  /** Notifies the delivery of a new request. */
  readonly wake: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores the request as one row, whatever the size of the class, and answers when it is durable. */
export function sendMarkNotes({
  messages,
  keyForm,
  wake,
  now,
}: SendMarkNotesDependencies): Operation<'SendMarkNotes'> {
  return async (args, call) => {
    const note = requiredKey(args, 'id', keyForm);
    const classId = requiredKey(args, 'id_class', keyForm);
    const school = canonicalSchoolUrl(required(args, 'baseUrlSchool', MAX_LENGTHS.url));

    const createdAt = now();
    const messageId = await messages.enqueue({
      channel: 'mark',
      recipient: classId,
      school,
      note,
      payload: { note },
      createdAt,
      expiresAt: createdAt + NOTE_LIFETIME_MS,
      dedupeKey: makeKey(school, classId, note),
      caller: call.caller,
      trace: call.trace,
    });
    wake();
    call.annotate({ messageId });
    return undefined;
  };
}

/**
 * Returns a key that is equal for every request of this note for this class: a digest, because keys in the
 * store are short.
 */
function makeKey(...names: readonly string[]): string {
  return hash('sha256', JSON.stringify(names), 'hex');
}

export interface OperationSettings {
  readonly country: CountryCode | undefined;
  readonly isCode: AuthCodeDependencies['isCode'];
  /** Stores a code, subject to the send policy. */
  readonly acceptCode: Delivery['acceptCode'];
  /** Notifies the delivery of a new SendMarkNotes request. */
  readonly wakeMarks: SendMarkNotesDependencies['wake'];
}

export type Operations = { readonly [Name in OperationName]: Operation<Name> };

/** Creates the six operations on one store, by their names in the contract. */
export function createOperations(
  store: Store,
  { country, isCode, acceptCode, wakeMarks }: OperationSettings,
): Operations {
  const now = Date.now;
  return {
    AuthCode: authCode({ acceptCode, country, isCode, now }),
    GetExamTableByExamId: getExamTableByExamId(store),
    GetStudentsNoteType: getStudentsNoteType(store),
    GetStudentSchool: getStudentSchool(store),
    SendMarkNotes: sendMarkNotes({ messages: store.messages, keyForm: store.keyForm, wake: wakeMarks, now }),
    GetTokenDevice: getTokenDevice(store),
  };
}

/** Replaces sending operations by ones that fail without effect: for answers that are only compared. */
export function withoutSending(operations: Operations): Operations {
  const refuse = (): Promise<never> =>
    Promise.reject(new Error('Nothing may be sent for a response that is only compared.'));
  return { ...operations, ...Object.fromEntries([...SENDING].map((name) => [name, refuse])) };
}
