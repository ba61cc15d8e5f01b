// What the other rooms of this service use in addition to index.ts: addresses, media types, pages and bodies.
export { clientAddress, groupsOf, plainAddress } from './http/client-address';
export { FORWARDED_HEADERS, type OtherForwardedHeader, readForwardedRequest } from './http/forwarded-request';
export { KnownHosts } from './http/known-hosts';
export { ownProtocol, readPublicAddress } from './http/public-address';
export { decodeXmlBody, findDecoder } from './http/request-encoding';
export { refuseBody } from './http/refuse-body';
export type { HttpResponse } from './http/response';
export { sendResponse } from './http/send-response';
export { type MediaType, readMediaType } from './http/media-type';
export { isInHandshake, socketUnder } from './handshakes';
export { originForm } from './http/request-path';
export type {
  AccessDecision,
  ExchangeObserver,
  Fallback,
  Refusal,
  RequestOutcome,
  TraceReader,
} from './exchange';
export { type CharReading, PLAIN_TYPES, type PlainTypeRow } from './types/plain-types';
export { type LocalClock, localClock } from './types/local-clock';
export type { Recognition, RequestPurpose } from './endpoint';
export { boundUnread } from './http-server';
export { type Bound } from './limits';
export { errorPage } from './documents/pages/error-page';
export { type ExampleCall, type ExampleCommand, exampleCommands } from './documents/pages/commands';
export type { OperationHelp, ParameterHelp, ServiceHelp } from './documents/help';
export type { ServerState, ServerText } from './documents/pages/index-page';
export type { TestForm } from './documents/pages/test-form';
export { SOAP11_ENVELOPE, SOAP12_ENVELOPE } from './soap/soap-fault';
export type { XmlAttributes } from './xml/xml-attributes';
export { type XmlHandler, XmlReader } from './xml/xml-reader';
export {
  type AttemptedCall,
  BINDINGS,
  type FaultCode,
  type OperationContract,
  type ServiceContract,
  type TraceContext,
} from './contract/operation';
export { type ClosableBinding, withNamespace } from './contract/contract-reader';
