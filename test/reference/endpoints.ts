import type { EndpointDefinition } from '../../src/asmx';
import { endpointsWith, handlerOf, resultOf, type StringHandler } from '../harness/recording-endpoints';
import { throwOnTrigger } from './outcomes';
import { studentsFor } from './student-school';
import { tokenFor } from './token-device';

const getStudentSchool = handlerOf(({ school_base_url = null, show_active = null }) => {
  throwOnTrigger({ school_base_url });
  return studentsFor(school_base_url, show_active);
});

const getTokenDevice = handlerOf((args) => {
  throwOnTrigger(args);
  return tokenFor(args['id'] ?? null);
});

/** The handlers whose answers the recorded exchanges show. */
const HANDLERS: Readonly<Record<string, StringHandler>> = {
  GetStudentSchool: getStudentSchool,
  GetTokenDevice: getTokenDevice,
};

/** All endpoints of the contract, served as the recorded exchanges show. */
export const REFERENCE_ENDPOINTS: readonly EndpointDefinition[] = endpointsWith(
  (operation, contract) =>
    HANDLERS[operation] ??
    handlerOf((args) => {
      throwOnTrigger(args);
      return resultOf(contract);
    }),
);
