// The wire contract, section 2.6: how an answer goes out, and when its memory is given back.

import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';

import { exchange, listen } from '../../../scripts/harness';
import type { HttpResponse } from '../../../src/asmx/http/response';
import { beginTurn, sendResponse } from '../../../src/asmx/http/send-response';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  servers.push(server);
  return { server, port: await listen(server) };
}

/** A server with one answer. */
const serveAnswer = (answer: HttpResponse) => serve((_request, response) => sendResponse(response, answer));

const HEADERS = ['Content-Type', 'text/plain; charset=utf-8'];

it.each([
  ['ASCII', 'plain', 'plain'],
  ['other letters', 'ş😀é', 'ş😀é'],
  ['bytes', Buffer.from('ş'), 'ş'],
  ['nothing', '', ''],
])('an answer of %s is sent whole, with its length in bytes', async (_what, body, text) => {
  const { port } = await serveAnswer({ status: 201, headers: HEADERS, body });
  const answer = await exchange(port, { path: '/' });
  expect([answer.status, answer.text]).toEqual([201, text]);
  expect(answer.header('Content-Length')).toBe(String(Buffer.byteLength(body)));
});

describe('the memory of an answer', () => {
  it('is released at once if the system accepts all of it', async () => {
    let released = 0;
    const { port } = await serveAnswer({
      status: 200,
      headers: HEADERS,
      body: 'x',
      release: () => (released += 1),
    });
    await exchange(port, { path: '/' });
    expect(released).toBe(1);
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
    const { server, port } = await serveAnswer({ status: 200, headers: HEADERS, body, release });
    const caller = connect(port, '127.0.0.1').pause();
    caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(server, 'request');
    expect(released).toBe(0);

    caller.resume();
    await isReleased;
    expect(released).toBe(1);
    caller.destroy();
  });
});

/** Calls a server over several connections; its answers are sent in one turn of the event loop, once all have called. */
async function answerTogether(
  count: number,
  send: (responses: readonly ServerResponse[]) => void,
  begin = beginTurn,
) {
  const responses: ServerResponse[] = [];
  const { port } = await serve((_request, response) => {
    responses.push(response);
    if (responses.length < count) return;
    begin();
    send(responses);
  });
  return Promise.allSettled(Array.from({ length: count }, () => exchange(port, { path: '/' })));
}

describe('the answers of one turn', () => {
  const answer = { status: 200, headers: HEADERS, body: 'plain' };

  it('leave together, at its end', async () => {
    const ended: boolean[][] = [];
    const answers = await answerTogether(3, (responses) => {
      const note = (): unknown => ended.push(responses.map(({ writableEnded }) => writableEnded));
      for (const response of responses) sendResponse(response, answer);
      note();
      setImmediate(note);
    });
    expect(ended).toEqual([
      [false, false, false],
      [true, true, true],
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('leave at once if no request arrived in it', async () => {
    let ended: boolean[] = [];
    const send = (responses: readonly ServerResponse[]): void => {
      for (const response of responses) sendResponse(response, answer);
      ended = responses.map(({ writableEnded }) => writableEnded);
    };
    await answerTogether(2, send, () => undefined);
    expect(ended).toEqual([true, true]);
  });

  it('do not wait for more than 63 others', async () => {
    let ended = 0;
    const answers = await answerTogether(65, (responses) => {
      for (const response of responses) sendResponse(response, answer);
      ended = responses.filter(({ writableEnded }) => writableEnded).length;
    });
    expect(ended).toBe(64);
    expect(answers.every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('keep their memory until they have left', async () => {
    const texts = ['first', 'second'];
    const answers = await answerTogether(2, (responses) => {
      responses.forEach((response, at) => {
        const body = Buffer.from(texts[at] ?? '');
        sendResponse(response, { ...answer, body, release: () => body.fill('?') });
      });
    });
    expect(answers.map((each) => each.status === 'fulfilled' && each.value.text).sort()).toEqual(texts);
  });

  it('leave although one of the callers has gone', async () => {
    const answers = await answerTogether(2, ([gone, waiting]) => {
      if (gone === undefined || waiting === undefined) throw new Error('There are two callers.');
      sendResponse(gone, answer);
      sendResponse(waiting, answer);
      gone.destroy();
    });
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
