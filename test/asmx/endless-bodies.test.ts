// Beyond the wire contract, section 3.4: how much of an unwanted body is read.

import { flood, MAX_SENT_BYTES } from '../harness/endless-body';
import { useReference } from '../harness/use-server';

const CHUNKED = 'Transfer-Encoding: chunked';
const LONG = `Content-Length: ${String(10_000_000_000)}`;
const PATH = '/PushNotificationMobile.asmx';
const FORM = 'Content-Type: application/x-www-form-urlencoded';

describe('an endless body', () => {
  const service = useReference();

  it.each([
    ['for SOAP, in chunks', `POST ${PATH} HTTP/1.1\r\nContent-Type: text/xml\r\n${CHUNKED}`, 500],
    ['for SOAP, with its length', `POST ${PATH} HTTP/1.1\r\nContent-Type: text/xml\r\n${LONG}`, 500],
    ['of a form', `POST ${PATH}/GetTokenDevice HTTP/1.1\r\n${FORM}\r\n${CHUNKED}`, 500],
    ['of a form for an unknown operation', `POST ${PATH}/Nothing HTTP/1.1\r\n${FORM}\r\n${CHUNKED}`, 500],
    ['of a GET', `GET ${PATH}/GetTokenDevice?id=1 HTTP/1.1\r\n${CHUNKED}`, 200],
    ['of a page', `GET ${PATH} HTTP/1.1\r\n${LONG}`, 200],
    ['of another method', `PUT ${PATH} HTTP/1.1\r\n${CHUNKED}`, 405],
    ['of the front page', `POST / HTTP/1.1\r\n${CHUNKED}`, 405],
    ['for an unknown path', `POST /nothing HTTP/1.1\r\n${LONG}`, 404],
    ['from a page of another site', `POST ${PATH} HTTP/1.1\r\nOrigin: https://evil.test\r\n${CHUNKED}`, 403],
  ])('%s is cut off after 16 MB, after its caller has got the answer', async (_what, head, status) => {
    const [start = '', ...rest] = head.split('\r\n');
    const { sent, answer } = await flood(
      Number(new URL(`http://${service.host}`).port),
      [start, 'Host: a', ...rest].join('\r\n'),
    );
    expect(answer.slice(0, 13)).toBe(`HTTP/1.1 ${String(status)} `);
    expect(sent).toBeLessThan(MAX_SENT_BYTES);
  });
});
