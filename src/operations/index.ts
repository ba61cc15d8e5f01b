export { ClientError } from './arguments';
export { type Arguments, type Operation, type OperationName, ReadDocument, SENDING } from './contract';
export { OPERATIONS } from './contract-types';
export { schoolOf } from './school-of';
export {
  createOperations,
  type Operations,
  type OperationSettings,
  withoutSending,
} from './create-operations';
