export { ClientError } from './arguments';
export { type Arguments, type Operation, type OperationName, PARAMETERS, ReadDocument } from './contract';
export { createOperations, type Operations, type OperationSettings } from './create-operations';
