export { headerOf, headersOf, pairsOf, tokensOf } from './headers';
export { type Header, type HttpAnswer, type HttpRequest, NO_BODY } from './messages';
