export { contractTypes } from './contract-types';
export { createAsmx, type Asmx, type AsmxOptions } from './asmx';
export {
  clientAddress,
  FORWARDED_HEADERS,
  groupsOf,
  KnownHosts,
  type OtherForwardedHeader,
  ownProtocol,
  plainAddress,
  readForwardedRequest,
  readPublicAddress,
} from './http/addresses';
export { decodeXmlBody, findDecoder } from './http/request-encoding';
export { type HttpResponse, refuseBody, sendResponse } from './http/response';
export { type MediaType, readMediaType } from './http/media-type';
export { originForm } from './http/request-path';
export { underlyingSocket } from './write-backlog';
export type {
  Admission,
  Exchange,
  ExchangeObserver,
  Authorizer,
  Outcome,
  Refusal,
  Fallback,
  TraceReader,
  Verdict,
} from './exchange';
export { type CharReading, PLAIN_TYPES, type PlainTypeRow } from './types/plain-types';
export { type LocalClock, localClock } from './types/local-clock';
export type { EndpointDefinition, Recognition, RequestPurpose } from './endpoint';
export { boundUnread, createHttpServer, type HttpTimeouts } from './http-server';
export { DEFAULT_LIMITS, type AsmxLimits, type Bound } from './limits';
export { type Content, Html, html, ICON, NOTHING, STYLE_SHEET } from './documents/pages/page';
export { errorPage } from './documents/pages/error-page';
export { type ExampleCall, type ExampleCommand, exampleCommands } from './documents/pages/commands';
export type { OperationHelp, ParameterHelp, ServiceHelp } from './documents/help';
export type { ServerState, ServerText } from './documents/pages/index-page';
export type { TestForm } from './documents/pages/test-form';
// For code that exchanges messages with other servers.
export { SOAP11_ENVELOPE, SOAP12_ENVELOPE } from './soap/soap-fault';
export type { XmlAttributes } from './xml/xml-attributes';
export { type XmlHandler, XmlReader } from './xml/xml-reader';
export {
  type AttemptedCall,
  type Binding,
  BINDINGS,
  type CallContext,
  ContractError,
  type FaultCode,
  type OperationContract,
  OperationFault,
  type OperationHandler,
  type OperationHandlers,
  type OperationResult,
  RawResponse,
  type ServiceContract,
  type TraceContext,
} from './contract/operation';
export { DateTime, type OperationArguments, type RecordValue, type Value } from './contract/values';
export { type ClosableBinding, readContract, withNamespace } from './contract/contract-reader';
export { loadDescription } from './soap/node-soap';
