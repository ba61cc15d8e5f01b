export { type ClosableBinding, withoutBindings } from './closed-bindings';
export { loadDescription, readContract } from './contract-reader';
export {
  type AttemptedCall,
  type Binding,
  type CallContext,
  type FaultCode,
  type OperationArguments,
  OperationFault,
  type OperationHandler,
  type OperationResult,
  RawResponse,
  type ResultRecord,
} from './operation';
export {
  ContractError,
  type OperationContract,
  type ParameterContract,
  type ResultContract,
  type ServiceContract,
} from './service-contract';
export { ServiceDescription, soapAction, withNamespace } from './service-description';
