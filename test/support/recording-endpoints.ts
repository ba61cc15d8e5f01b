import type { CallContext, EndpointDefinition, OperationArguments, OperationHandler } from '../../src/asmx';
import { ENDPOINT_NAMES, type EndpointName, readDescription } from '../../scripts/harness';

export interface RecordedCall {
  readonly operation: string;
  readonly args: OperationArguments;
  readonly binding: CallContext['binding'];
}

/** The operations of the contract by endpoint, with what each returns when nothing else is asked for. */
const RESULTS: Readonly<Record<EndpointName, Readonly<Record<string, undefined | string | []>>>> = {
  AuthCodeSending: { AuthCode: undefined },
  Scheduals: { GetExamTableByExamId: undefined },
  GetNoteType: { GetStudentsNoteType: undefined },
  NotificationNotes: { GetStudentSchool: [], SendMarkNotes: undefined },
  PushNotificationMobile: { GetTokenDevice: 'token' },
};

/** All endpoints of the contract, with handlers that note down their calls. */
export function recordingEndpoints(calls: RecordedCall[]): readonly EndpointDefinition[] {
  return endpointsWith((operation, name) => (args, { binding }) => {
    calls.push({ operation, args, binding });
    return RESULTS[name][operation];
  });
}

/** All endpoints of the contract, every operation served by the handler that `create` makes for it. */
export function endpointsWith(
  create: (operation: string, endpoint: EndpointName) => OperationHandler,
): readonly EndpointDefinition[] {
  return ENDPOINT_NAMES.map((name) => ({
    description: readDescription(name),
    handlers: Object.fromEntries(
      Object.keys(RESULTS[name]).map((operation) => [operation, create(operation, name)]),
    ),
  }));
}
