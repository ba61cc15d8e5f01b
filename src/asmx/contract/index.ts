export { type ClosableBinding, withoutBindings } from './closed-bindings';
export { loadDescription, readContract } from './contract-reader';
export {
  type AttemptedCall,
  type Binding,
  BINDINGS,
  type CallContext,
  type FaultCode,
  OperationFault,
  type OperationHandler,
  type OperationHandlers,
  type OperationResult,
  RawResponse,
  type TraceContext,
} from './operation';
export { ContractError, type OperationContract, type ServiceContract } from './service-contract';
export {
  type AttributeContract,
  type ElementContract,
  type EnumerationType,
  isValueType,
  type ListType,
  PLAIN_NAMES,
  type PlainName,
  type PlainType,
  type RecordType,
  type ValueType,
} from './value-type';
export { ServiceDescription, soapAction, withNamespace } from './service-description';
export { DateTime, isDate, wallTimeOf, withoutZeros, type Zone } from './date-time';
export type { OperationArguments, RecordValue, Value } from './value';
