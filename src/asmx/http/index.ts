export { AllowedHosts, parsePublicAddress, type PublicAddress, readPublicAddress } from './public-address';
export {
  type HttpResponse,
  responseHeaders,
  CACHE_RESULT,
  CACHE_ERROR,
  pageHeaders,
  refuseBody,
  sendResponse,
  textHeaders,
} from './response';
export { type FormParameters, readFormParameters } from './form-parameters';
export { ForeignPages } from './foreign-pages';
export { clientAddress, isLocalCaller } from './forwarded-request';
export { type MediaType, readMediaType } from './media-type';
export { createBodyReader, type ReadBody } from './request-body';
export { decodeXmlBody, findDecoder } from './request-encoding';
export { readRequestPath } from './request-path';
export { urlDecode } from './url-decode';
