// The wire contract, section 3.4: what a SOAP request is answered whose body is not read.

import { refuseEnvelope } from '../../../src/asmx/soap/soap-binding';

const TOO_LONG = 'Maximum request length exceeded.';
const NO_OBJECT = 'Object reference not set to an instance of an object.';
const ACTION = '"http://tempuri.org/GetTokenDevice"';

describe('a body over the limit', () => {
  it.each<[string, string | undefined, string | undefined, string, string]>([
    ['with a SOAPAction', 'text/xml', ACTION, 'soap:Server', TOO_LONG],
    ['with an empty SOAPAction', 'text/xml; charset=utf-8', '', 'soap:Server', TOO_LONG],
    ['with an action', `application/soap+xml; action=${ACTION}`, undefined, 'soap:Receiver', TOO_LONG],
    ['of 1.2 with both', `application/soap+xml; action=${ACTION}`, ACTION, 'soap:Receiver', TOO_LONG],
    ['of 1.2 without an action', 'application/soap+xml', ACTION, 'soap:Receiver', NO_OBJECT],
    ['with an empty action', 'application/soap+xml; action=""', undefined, 'soap:Receiver', NO_OBJECT],
    ['without anything', undefined, undefined, 'soap:Receiver', NO_OBJECT],
  ])('%s gets a fault', (_what, contentType, soapAction, code, text) => {
    const { status, body } = refuseEnvelope({ contentType, soapAction }, 'too-large');
    expect(status).toBe(500);
    expect(body.toString()).toContain(code);
    expect(body.toString()).toContain(text);
  });
});

it.each<[string, string | undefined, string | undefined, string]>([
  ['1.1', 'text/xml', ACTION, 'text/xml; charset=utf-8'],
  ['1.2', 'application/soap+xml', ACTION, 'application/soap+xml; charset=utf-8'],
  ['none', undefined, undefined, 'application/soap+xml; charset=utf-8'],
])('a body of version %s without room for it gets 503', (_, contentType, soapAction, type) => {
  const { status, headers, body } = refuseEnvelope({ contentType, soapAction }, 'busy');
  expect([status, body]).toEqual([503, '']);
  expect(headers.join()).toContain(`Content-Type,${type}`);
  expect(headers.join()).toContain('Retry-After,5');
});
