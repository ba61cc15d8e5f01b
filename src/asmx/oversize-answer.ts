import type { IncomingMessage } from 'node:http';
import { type Answer, readMediaType } from './http';
import { formError } from './form';
import { SOAP11, SOAP12, soapError, unprocessableRequest } from './soap';

const OVERSIZE =
  'There was an exception running the extensions specified in the config file. ---> Maximum request length exceeded.';

/**
 * Answers a SOAP request whose body is over the limit. What ASP.NET says differs with the rules that would have
 * routed it (wire contract, section 3): without an action it is looking for one in a body that it has not got.
 */
export function oversizeEnvelope({ headers }: Pick<IncomingMessage, 'headers'>): Answer {
  const { name, action } = readMediaType(headers['content-type']);
  const isSoap12 = headers['soapaction'] === undefined || name === 'application/soap+xml';
  if (!isSoap12) return soapError(SOAP11, 'Server', OVERSIZE);
  return action === undefined || action === ''
    ? unprocessableRequest(SOAP12, 'Object reference not set to an instance of an object.')
    : soapError(SOAP12, 'Server', OVERSIZE);
}

/** Answers a form whose body is over the limit. */
export function oversizeForm(): Answer {
  return formError('Maximum request length exceeded.');
}
