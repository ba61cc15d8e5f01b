export { AllowedHosts } from './allowed-hosts';
export {
  type Answer,
  answerHeaders,
  CACHE_ANSWER,
  CACHE_ERROR,
  pageHeaders,
  sendAnswer,
  textHeaders,
} from './answer';
export { type FormParameters, readFormParameters } from './form-parameters';
export { isLocalCaller } from './local-caller';
export { type MediaType, readMediaType } from './media-type';
export { parsePublicAddress, type PublicAddress, readPublicAddress } from './public-address';
export { refuseBody } from './refuse-body';
export { createBodyReader, type ReadBody } from './request-body';
export { decodeXmlBody, findDecoder } from './request-encoding';
export { readRequestPath } from './request-path';
export { urlDecode } from './url-decode';
