export { ClientError } from './arguments';
export {
  type Arguments,
  type Operation,
  type OperationName,
  PARAMETERS,
  ReadDocument,
  SENDING,
} from './contract';
export { schoolOf } from './school-of';
export {
  createOperations,
  type Operations,
  type OperationSettings,
  withoutSending,
} from './create-operations';
