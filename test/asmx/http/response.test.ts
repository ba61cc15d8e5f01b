// The wire contract, section 2.6: how an answer goes out, and when its memory is given back.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';

import { exchange, listen } from '../../../scripts/harness';
import { type HttpResponse, sendResponse } from '../../../src/asmx/http/response';

/** A server with one answer. */
async function serve(answer: HttpResponse) {
  const server = createServer((_request, response: ServerResponse) => {
    sendResponse(response, answer);
  });
  return { server, port: await listen(server) };
}

const HEADERS = ['Content-Type', 'text/plain; charset=utf-8'];

it.each([
  ['ASCII', 'plain', 'plain'],
  ['other letters', 'ş😀é', 'ş😀é'],
  ['bytes', Buffer.from('ş'), 'ş'],
  ['nothing', '', ''],
])('an answer of %s is sent whole, with its length in bytes', async (_what, body, text) => {
  const { server, port } = await serve({ status: 201, headers: HEADERS, body });
  const answer = await exchange(port, { path: '/' });
  expect([answer.status, answer.text]).toEqual([201, text]);
  expect(answer.header('Content-Length')).toBe(String(Buffer.byteLength(body)));
  server.close();
});

describe('the memory of an answer', () => {
  it('is released at once if the system accepts all of it', async () => {
    let released = 0;
    const { server, port } = await serve({
      status: 200,
      headers: HEADERS,
      body: 'x',
      release: () => (released += 1),
    });
    await exchange(port, { path: '/' });
    expect(released).toBe(1);
    server.close();
  });

  it('is released only when a slow caller has read it', async () => {
    let released = 0;
    let onReleased: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (onReleased = resolve));
    const body = Buffer.alloc(32 * 1024 * 1024);
    const release = (): void => {
      released += 1;
      onReleased();
    };
    const { server, port } = await serve({ status: 200, headers: HEADERS, body, release });
    const caller = connect(port, '127.0.0.1').pause();
    caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(server, 'request');
    expect(released).toBe(0);

    caller.resume();
    await isReleased;
    expect(released).toBe(1);
    caller.destroy();
    server.close();
  });
});
