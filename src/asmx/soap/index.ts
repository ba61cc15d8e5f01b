export type { CharReading } from './char-parameter';
export { EnvelopeReader } from './envelope-reader';
export { SoapBinding } from './soap-binding';
export { operationFailure, soapError, unprocessableRequest } from './soap-fault';
export { soapResultWriter } from './soap-result';
export { openSoapService, type SoapService } from './soap-service';
export { SOAP11, SOAP12, type SoapVersion } from './soap-version';
