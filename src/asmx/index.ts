export { contractTypes } from './contract-types';
export { createAsmx, type Asmx, type AsmxOptions } from './asmx';
export {
  clientAddress,
  groupsOf,
  KnownHosts,
  originForm,
  ownProtocol,
  plainAddress,
  readForwardedRequest,
  readPublicAddress,
  refuseBody,
  sendResponse,
  type HttpResponse,
} from './http';
export { carrierOf } from './carrier';
export type { Admission, Gate, Refusal, Verdict } from './gate';
export { type CharReading, type LocalClock, localClock, PLAIN_TYPES, type PlainTypeRow } from './types';
export type { EndpointDefinition } from './endpoint';
export type { Exchange, ExchangeObserver, Outcome, StandIn, TraceReader } from './exchange';
export type { Recognition, Sought } from './recognition';
export { boundUnread, createHttpServer, DEFAULT_TIMEOUTS, type HttpTimeouts } from './http-server';
export { DEFAULT_LIMITS, type AsmxLimits, type Bound } from './limits';
export { errorPage, exampleCommands, type ExampleCall, type ExampleCommand } from './documents';
// For reading and writing what other servers answer and take.
export { SOAP11_ENVELOPE, SOAP12_ENVELOPE } from './soap';
export { decodeXmlBody, findDecoder, type MediaType, readMediaType } from './http';
export { type XmlAttributes, type XmlHandler, XmlReader } from './xml';
// For pages of other rooms in the same style.
export { type Content, Html, html, ICON, NOTHING, STYLE_SHEET } from './documents';
export type { ServerState, ServerText } from './documents';
export type { OperationHelp, ParameterHelp, ServiceHelp, TestForm } from './documents';
export {
  OperationFault,
  RawResponse,
  type AttemptedCall,
  type Binding,
  BINDINGS,
  DateTime,
  type CallContext,
  type ClosableBinding,
  type FaultCode,
  type OperationArguments,
  type OperationHandler,
  type OperationHandlers,
  type OperationResult,
  type RecordValue,
  type TraceContext,
  type Value,
} from './contract';
export { ContractError, type OperationContract, type ServiceContract } from './contract';
// For reading how other servers describe themselves.
export { loadDescription, readContract } from './contract';
