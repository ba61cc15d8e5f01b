import type { CountryCode } from 'libphonenumber-js/max';

import type { Delivery } from '../delivery';
import type { Store } from '../store';
import { authCode, type AuthCodeDependencies } from './auth-code';
import { type Operation, type OperationName, SENDING } from './contract';
import { getExamTableByExamId } from './get-exam-table-by-exam-id';
import { getStudentSchool } from './get-student-school';
import { getStudentsNoteType } from './get-students-note-type';
import { getTokenDevice } from './get-token-device';
import { sendMarkNotes, type SendMarkNotesDependencies } from './send-mark-notes';

export interface OperationSettings {
  readonly country: CountryCode | undefined;
  readonly isCode: AuthCodeDependencies['isCode'];
  /** The send policy. */
  readonly acceptCode: Delivery['acceptCode'];
  /** Tells whoever delivers that there is a request of SendMarkNotes. */
  readonly wakeMarks: SendMarkNotesDependencies['wake'];
}

export type Operations = { readonly [Name in OperationName]: Operation<Name> };

/** The six operations, by their names in the contract, on one store. */
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
    SendMarkNotes: sendMarkNotes({ messages: store.messages, wake: wakeMarks, now }),
    GetTokenDevice: getTokenDevice(store),
  };
}

/** The same, but those that send fail and do nothing: for whoever asks what would be answered. */
export function withoutSending(operations: Operations): Operations {
  const refuse = (): Promise<never> =>
    Promise.reject(new Error('Nothing is sent for an answer that nobody gets.'));
  return { ...operations, ...Object.fromEntries([...SENDING].map((name) => [name, refuse])) };
}
