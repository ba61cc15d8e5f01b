import { canonicalSchoolUrl } from '../store';
import type { CallLog } from '../telemetry';
import { LONGEST } from './arguments';
import type { ContractOperations } from './contract-types';

export type OperationName = keyof ContractOperations;

/** Those that have a message sent: whoever calls one twice sends twice. All others only read. */
export const SENDING: ReadonlySet<OperationName> = new Set(['AuthCode', 'SendMarkNotes']);

/** The arguments of a call; `null` is a parameter that the request did not carry. */
type Arguments<Name extends OperationName> = ContractOperations[Name]['parameters'];

/**
 * What telephone apps read from the two reads that the contract gives no result: a document with a status of its
 * own, as services of this family write it.
 */
export class ReadDocument {
  constructor(
    /** 200 when found; an app shows another status as an error, with its message. */
    readonly status: 200 | 404,
    readonly message: string,
    /** Every field is a text that is never null. */
    readonly data: readonly Readonly<Record<string, string>>[],
  ) {}
}

/** The contract gives the two reads no result; whether their document is sent is the application's choice. */
type Result<Name extends OperationName> = Name extends 'GetExamTableByExamId' | 'GetStudentsNoteType'
  ? ReadDocument
  : ContractOperations[Name]['result'];

/**
 * Runs one operation.
 *
 * @throws ClientError where the caller's arguments are at fault; anything else is a failure of the service
 */
export type Operation<Name extends OperationName> = (
  args: Arguments<Name>,
  call: CallLog,
) => Promise<Result<Name>>;

/** Parameters that name a school, by operation. */
const SCHOOL_PARAMETERS: Readonly<Record<string, string>> = {
  GetStudentSchool: 'school_base_url',
  SendMarkNotes: 'baseUrlSchool',
};

/** Key of the school that a call names; undefined where it names none, or in a way that its operation refuses. */
export function schoolOf(operation: string, args: Readonly<Record<string, unknown>>): string | undefined {
  const url = args[SCHOOL_PARAMETERS[operation] ?? ''];
  if (typeof url !== 'string' || url === '' || url.length > LONGEST.url) return undefined;
  return canonicalSchoolUrl(url);
}
