import type { Binding } from '../../../src/asmx';
import type { EndpointName } from '../../../scripts/harness';

export const BINDINGS: readonly Binding[] = ['soap11', 'soap12', 'get', 'post'];

/** Every operation of the contract with its endpoint. */
export const OPERATIONS: readonly (readonly [EndpointName, string])[] = [
  ['AuthCodeSending', 'AuthCode'],
  ['Scheduals', 'GetExamTableByExamId'],
  ['GetNoteType', 'GetStudentsNoteType'],
  ['NotificationNotes', 'GetStudentSchool'],
  ['NotificationNotes', 'SendMarkNotes'],
  ['PushNotificationMobile', 'GetTokenDevice'],
];

/** Every operation over every binding. */
export const CALLS = OPERATIONS.flatMap(([endpoint, operation]) =>
  BINDINGS.map((binding) => [endpoint, operation, binding] as const),
);
