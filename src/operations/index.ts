export { ClientError } from './client-error';
export { type Arguments, type Call, type Operation, type OperationName, PARAMETERS } from './contract';
export { ReadDocument } from './read-document';
export { createOperations, type Operations, type OperationSettings } from './create-operations';
