export { EnvelopeReader } from './envelope-reader';
export { refuseEnvelope, SoapBinding } from './soap-binding';
export { readSoapHead, type SoapHead } from './soap-head';
export { operationFailure, refusedCall } from './soap-fault';
export { soapResultWriter } from './soap-result';
export { openSoapService } from './soap-service';
export { SOAP11, SOAP11_ENVELOPE, SOAP12, SOAP12_ENVELOPE, type SoapVersion } from './soap-version';
