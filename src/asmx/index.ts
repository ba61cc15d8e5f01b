export { createAsmx, type Asmx, type AsmxOptions } from './asmx';
export {
  clientAddress,
  groupsOf,
  KnownHosts,
  plainAddress,
  readForwardedRequest,
  readPublicAddress,
  refuseBody,
  sendResponse,
  type HttpResponse,
} from './http';
export { carrierOf } from './carrier';
export type { Admission, Gate, Refusal, Verdict } from './gate';
export type { CharReading } from './soap';
export type { EndpointDefinition } from './endpoint';
export type { Exchange, ExchangeObserver, Outcome, StandIn } from './exchange';
export type { Recognition, Sought } from './recognition';
export { createHttpServer, DEFAULT_TIMEOUTS, type HttpTimeouts } from './http-server';
export { DEFAULT_LIMITS, type AsmxLimits, type Bound } from './limits';
export { errorPage, exampleCommands, type ExampleCall, type ExampleCommand } from './documents';
// For reading what other servers answer.
export { decodeXmlBody, findDecoder, type MediaType, readMediaType } from './http';
export { type XmlAttributes, type XmlHandler, XmlReader } from './xml';
// For pages of other rooms in the same style.
export { type Content, Html, html, ICON, NOTHING, STYLE_SHEET } from './documents';
export type { ServerState, ServerText } from './documents';
export type { TestForm } from './documents';
export {
  OperationFault,
  RawResponse,
  type AttemptedCall,
  type Binding,
  type CallContext,
  type ClosableBinding,
  type FaultCode,
  type OperationArguments,
  type OperationHandler,
  type OperationResult,
  type ResultRecord,
} from './contract';
export { ContractError, type OperationContract, type ServiceContract } from './contract';
// For reading how other servers describe themselves.
export { loadDescription, readContract } from './contract';
