export { ClientError } from './arguments';
export { type OperationName, ReadDocument, findSchool, SENDING } from './contract';
export { OPERATIONS } from './contract-types';
export { createOperations, type Operations, type OperationSettings, withoutSending } from './operations';
