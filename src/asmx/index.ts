// What a program needs that serves a description; other rooms of this service use internal.ts as well.
export { contractTypes } from './contract-types';
export { createAsmx, type Asmx, type AsmxOptions } from './asmx';
export type { Admission, Exchange, Authorizer } from './exchange';
export type { EndpointDefinition } from './endpoint';
export { createHttpServer, type HttpTimeouts } from './http-server';
export { DEFAULT_LIMITS, type AsmxLimits } from './limits';
export {
  type Binding,
  type CallContext,
  ContractError,
  OperationFault,
  type OperationHandler,
  type OperationHandlers,
  type OperationResult,
  RawResponse,
} from './contract/operation';
export { DateTime } from './contract/date-time';
export type { OperationArguments, RecordValue, Value } from './contract/values';
export { readContract } from './contract/contract-reader';
export { loadDescription } from './soap/node-soap';
