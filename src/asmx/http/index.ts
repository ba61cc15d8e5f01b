export {
  AllowedHosts,
  namesTwoHosts,
  ownProtocol,
  parsePublicAddress,
  type PublicAddress,
  readPublicAddress,
  splitAuthority,
} from './public-address';
export {
  type HttpResponse,
  responseHeaders,
  CACHE_RESULT,
  CACHE_ERROR,
  MAX_DROPPED_BYTES,
  pageHeaders,
  refuseBody,
  RETRY_SOON,
  sendResponse,
  textHeaders,
  TOO_BUSY,
} from './response';
export { type FormParameters, readFormParameters, TOO_MANY_PAIRS } from './form-parameters';
export { groupsOf, plainAddress } from './address';
export { ForeignPages } from './foreign-pages';
export { clientAddress, isLocalCaller, readForwardedRequest } from './forwarded-request';
export { KnownHosts } from './known-hosts';
export { type MediaType, readMediaType } from './media-type';
export { type BodyRefusal, createBodyReader, type ReadBody } from './request-body';
export { decodeXmlBody, findDecoder } from './request-encoding';
export { originForm, readRequestPath } from './request-path';
export { urlDecode } from './url-decode';
