export { ClientError } from './arguments';
export { type OperationName, ReadDocument, schoolOf, SENDING } from './contract';
export { OPERATIONS } from './contract-types';
export { createOperations, type Operations, type OperationSettings, withoutSending } from './operations';
