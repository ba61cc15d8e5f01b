import type { CallLog } from '../telemetry';

/** The parameters of every operation, by the names of the service descriptions. */
export const PARAMETERS = {
  AuthCode: ['code', 'phone'],
  GetExamTableByExamId: ['ExamId'],
  GetStudentsNoteType: [],
  GetStudentSchool: ['school_base_url', 'show_active'],
  SendMarkNotes: ['id', 'id_class', 'baseUrlSchool'],
  GetTokenDevice: ['id'],
} as const;

export type OperationName = keyof typeof PARAMETERS;

/** Those that have a message sent: whoever calls one twice sends twice. All others only read. */
export const SENDING: ReadonlySet<OperationName> = new Set(['AuthCode', 'SendMarkNotes']);

/** The arguments of a call; `null` is a parameter that the request did not carry. */
export type Arguments<Name extends OperationName> = Readonly<
  Record<(typeof PARAMETERS)[Name][number], string | null>
>;

/** A record of GetStudentSchool's list, by the contract's field names. */
export type StudentInfo = Readonly<Record<'id_student' | 'fullName' | 'id_device' | 'ShowActive', string>>;

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
interface Results {
  readonly AuthCode: undefined;
  readonly GetExamTableByExamId: ReadDocument;
  readonly GetStudentsNoteType: ReadDocument;
  readonly GetStudentSchool: readonly StudentInfo[];
  readonly SendMarkNotes: undefined;
  readonly GetTokenDevice: string;
}

/**
 * Runs one operation.
 *
 * @throws ClientError where the caller's arguments are at fault; anything else is a failure of the service
 */
export type Operation<Name extends OperationName> = (
  args: Arguments<Name>,
  call: CallLog,
) => Promise<Results[Name]>;
