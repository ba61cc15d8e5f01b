// The wire contract, sections 3.1, 3.2 and 3.5: faults of calls that are refused before they are read.

import { busyError, refusedCall, SOAP11, SOAP12 } from '../../../src/asmx/soap/soap-fault';

function headersOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? '']] : [])));
}

describe.each([
  ['1.1', SOAP11, '<faultcode>soap:Client</faultcode><faultstring>Not you.</faultstring><detail />'],
  [
    '1.2',
    SOAP12,
    '<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">Not you.</soap:Text></soap:Reason><soap:Detail />',
  ],
] as const)('a call over SOAP %s', (_version, version, fault) => {
  it('gets a caller fault with the status and headers of the rejection if it is not allowed', () => {
    const refused = refusedCall(version, {
      status: 401,
      headers: ['WWW-Authenticate', 'Basic'],
      message: 'Not you.',
    });
    expect(refused.status).toBe(401);
    expect(refused.body).toContain(`<soap:Fault>${fault}</soap:Fault>`);
    expect(headersOf(refused.headers)).toMatchObject({
      'Content-Type': version.contentType,
      'WWW-Authenticate': 'Basic',
    });
  });

  it('gets 503 without a body and with Retry-After if there is no room', () => {
    const { status, headers, body } = busyError(version);
    expect([status, body]).toEqual([503, '']);
    expect(headersOf(headers)).toMatchObject({
      'Content-Type': version.contentType,
      'Cache-Control': 'private',
      'Retry-After': expect.stringMatching(/^\d+$/) as string,
    });
  });
});
