import type { EndpointDefinition, OperationHandler } from '../../src/asmx';
import { ENDPOINT_NAMES, type EndpointName, readDescription } from '../../scripts/harness';
import { throwOnTrigger } from './outcomes';
import { studentsFor } from './student-school';
import { tokenFor } from './token-device';

const returnNothing: OperationHandler = (args) => {
  throwOnTrigger(args);
  return undefined;
};

const getStudentSchool: OperationHandler = ({ school_base_url = null, show_active = null }) => {
  throwOnTrigger({ school_base_url });
  return studentsFor(school_base_url, show_active);
};

const getTokenDevice: OperationHandler = (args) => {
  throwOnTrigger(args);
  return tokenFor(args['id'] ?? null);
};

/** The handlers whose answers the recorded exchanges show, by endpoint. */
const HANDLERS: Readonly<Record<EndpointName, Readonly<Record<string, OperationHandler>>>> = {
  AuthCodeSending: { AuthCode: returnNothing },
  Scheduals: { GetExamTableByExamId: returnNothing },
  GetNoteType: { GetStudentsNoteType: returnNothing },
  NotificationNotes: { GetStudentSchool: getStudentSchool, SendMarkNotes: returnNothing },
  PushNotificationMobile: { GetTokenDevice: getTokenDevice },
};

/** The five endpoints of the reference service. */
export const REFERENCE_ENDPOINTS: readonly EndpointDefinition[] = ENDPOINT_NAMES.map((name) => ({
  description: readDescription(name),
  handlers: HANDLERS[name],
}));
