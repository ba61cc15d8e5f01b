// Beyond the wire contract, section 3.4: what is read of a body that nobody wants.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { useReference } from '../support/use-server';

const MEGABYTE = 2 ** 20;
const PIECE = Buffer.alloc(MEGABYTE, 'x');
const CHUNK = Buffer.concat([Buffer.from('100000\r\n'), PIECE, Buffer.from('\r\n')]);
/** What is dropped, and what the system keeps of both ends of a connection. */
const MAX_SENT_BYTES = 64 * MEGABYTE;
const ENOUGH_BYTES = 512 * MEGABYTE;

const CHUNKED = 'Transfer-Encoding: chunked';
const LONG = `Content-Length: ${String(10_000 * MEGABYTE)}`;
const PATH = '/PushNotificationMobile.asmx';
const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** Sends a head, and a body for as long as the connection is there. */
async function flood(
  port: number,
  head: string,
): Promise<{ readonly sent: number; readonly answer: string }> {
  const socket: Socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')));
  // It is reset in the middle of what it sends.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  socket.write(`${head}\r\n\r\n`);
  const piece = head.includes(CHUNKED) ? CHUNK : PIECE;
  let isClosed = false;
  void closed.then(() => (isClosed = true));
  // What is read here may change meanwhile.
  const goesOn = (): boolean => !isClosed && socket.bytesWritten < ENOUGH_BYTES;
  while (goesOn()) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
  }
  socket.destroy();
  await closed;
  return { sent: socket.bytesWritten - socket.writableLength, answer };
}

describe('a body without end', () => {
  const service = useReference();

  it.each([
    ['for SOAP, in chunks', `POST ${PATH} HTTP/1.1\r\nContent-Type: text/xml\r\n${CHUNKED}`, 500],
    ['for SOAP, with its length', `POST ${PATH} HTTP/1.1\r\nContent-Type: text/xml\r\n${LONG}`, 500],
    ['of a form', `POST ${PATH}/GetTokenDevice HTTP/1.1\r\n${FORM}\r\n${CHUNKED}`, 500],
    ['of a form for no operation', `POST ${PATH}/Nothing HTTP/1.1\r\n${FORM}\r\n${CHUNKED}`, 500],
    ['of a GET', `GET ${PATH}/GetTokenDevice?id=1 HTTP/1.1\r\n${CHUNKED}`, 200],
    ['of a page', `GET ${PATH} HTTP/1.1\r\n${LONG}`, 200],
    ['of another method', `PUT ${PATH} HTTP/1.1\r\n${CHUNKED}`, 405],
    ['of the front page', `POST / HTTP/1.1\r\n${CHUNKED}`, 405],
    ['for nothing that there is', `POST /nothing HTTP/1.1\r\n${LONG}`, 404],
    ['of a page elsewhere', `POST ${PATH} HTTP/1.1\r\nOrigin: https://evil.test\r\n${CHUNKED}`, 403],
  ])('%s is cut off after 16 MB: its caller has the answer by then', async (_what, head, status) => {
    const [start = '', ...rest] = head.split('\r\n');
    const { sent, answer } = await flood(
      Number(new URL(`http://${service.host}`).port),
      [start, 'Host: a', ...rest].join('\r\n'),
    );
    expect(answer.slice(0, 13)).toBe(`HTTP/1.1 ${String(status)} `);
    expect(sent).toBeLessThan(MAX_SENT_BYTES);
  });
});
