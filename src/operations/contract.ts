import { canonicalSchoolUrl } from '../store';
import type { CallLog } from '../telemetry';
import { MAX_LENGTHS } from './arguments';
import type { ContractOperations } from './contract-types';

export type OperationName = keyof ContractOperations;

/** Operations that send a message, once for each call. All others only read. */
export const SENDING: ReadonlySet<OperationName> = new Set(['AuthCode', 'SendMarkNotes']);

/** Arguments of a call; `null` for a parameter missing from the request. */
type Arguments<Name extends OperationName> = ContractOperations[Name]['parameters'];

/**
 * Answer of the two reads without a result in the contract: a document with its own status, as phone apps
 * expect it from services of this family.
 */
export class ReadDocument {
  constructor(
    /** 200 when found; an app shows any other status as an error, with its message. */
    readonly status: 200 | 404,
    readonly message: string,
    /** Every field is a text and never null. */
    readonly data: readonly Readonly<Record<string, string>>[],
  ) {}
}

/**
 * Result of an operation. Two reads have none in the contract; the application chooses whether to send their
 * document.
 */
type Result<Name extends OperationName> = Name extends 'GetExamTableByExamId' | 'GetStudentsNoteType'
  ? ReadDocument
  : ContractOperations[Name]['result'];

/**
 * Runs one operation.
 *
 * @throws ClientError if the caller's arguments are invalid; any other error is a failure of the service
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

/** Returns the key of the school that a call names; undefined if it names none, or an invalid one. */
export function findSchool(operation: string, args: Readonly<Record<string, unknown>>): string | undefined {
  const url = args[SCHOOL_PARAMETERS[operation] ?? ''];
  if (typeof url !== 'string' || url === '' || url.length > MAX_LENGTHS.url) return undefined;
  return canonicalSchoolUrl(url);
}
