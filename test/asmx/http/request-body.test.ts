// The wire contract, section 3.4: how the reading of a body ends. Beyond it: bodies there is no room for.

import { once } from 'node:events';
import { createServer } from 'node:http';

import type { Request, Response } from 'express';

import { chunked, endServer, listen, portOf, RawConnection } from '../../../scripts/harness';
import { createBodyReader } from '../../../src/asmx/http/request-body';

const LARGE = 64 * 1024 + 1;
const LIMIT = 200 * 1024;

interface Outcome {
  readonly read: string;
  /** To answer with, or undefined where the caller is gone. */
  readonly response: Response;
}

let timesFull = 0;
const readBody = createBodyReader({ bodyBytes: LIMIT, largeBodies: 1 }, () => (timesFull += 1));
const outcomes: Outcome[] = [];
let onOutcome: () => void = () => undefined;

/** Reports how each reading ends, and answers when the test requests it. */
const server = createServer((request, response) => {
  readBody(request as Request, response as Response, (outcome) => {
    outcomes.push({
      read: Buffer.isBuffer(outcome) ? `${String(outcome.length)} bytes` : outcome,
      response: response as Response,
    });
    onOutcome();
  });
});
server.on('checkContinue', (request, response) => server.emit('request', request, response));

const open: RawConnection[] = [];

beforeAll(() => listen(server));
afterAll(() => endServer(server));
beforeEach(() => {
  timesFull = 0;
});
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});

/** Sends the beginning of a request. */
async function begin(headers: readonly (readonly [string, string])[], body = ''): Promise<RawConnection> {
  const connection = await RawConnection.open(portOf(server));
  open.push(connection);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  connection.write(`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n${body}`);
  return connection;
}

/** How the next reading ends. */
async function nextOutcome(): Promise<Outcome> {
  for (;;) {
    const outcome = outcomes.shift();
    if (outcome !== undefined) return outcome;
    await new Promise<void>((resolve) => (onOutcome = resolve));
  }
}

/** How the reading of one body ends that is answered then. */
async function readingOf(headers: readonly (readonly [string, string])[], body = ''): Promise<string> {
  await begin(headers, body);
  const { read, response } = await nextOutcome();
  response.end();
  await once(response, 'close');
  return read;
}

const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

describe('the body of a request', () => {
  it('is empty if none is announced', async () => {
    expect(await readingOf([])).toBe('0 bytes');
    expect(await readingOf([['Content-Length', '0']])).toBe('0 bytes');
  });

  it('is read to its end, whatever its Content-Encoding', async () => {
    expect(await readingOf([['Content-Length', '5']], 'abcde')).toBe('5 bytes');
    expect(await readingOf([CHUNKED], chunked('ab', 'cde'))).toBe('5 bytes');
    const encoded = [
      ['Content-Length', '5'],
      ['Content-Encoding', 'gzip'],
    ] as const;
    expect(await readingOf(encoded, 'abcde')).toBe('5 bytes');
    expect(await readingOf([['Content-Length', String(LIMIT)]], 'x'.repeat(LIMIT))).toBe(
      `${String(LIMIT)} bytes`,
    );
  });

  it('is too large by its Content-Length, or as soon as its chunks are', async () => {
    expect(await readingOf([['Content-Length', String(LIMIT + 1)]])).toBe('too-large');
    expect(await readingOf([CHUNKED], chunk('x'.repeat(LIMIT + 1)))).toBe('too-large');
  });

  it('is requested with 100 Continue if the caller waits for it and the body is allowed', async () => {
    const connection = await begin([
      ['Expect', '100-continue'],
      ['Content-Length', '2'],
    ]);
    expect((await connection.read()).status).toBe(100);
    connection.write('ab');
    const { read, response } = await nextOutcome();
    expect(read).toBe('2 bytes');
    response.end();

    const refused = await begin([
      ['Expect', '100-continue'],
      ['Content-Length', String(LIMIT + 1)],
    ]);
    (await nextOutcome()).response.end();
    expect((await refused.read()).status).toBe(200);
  });

  it('is aborted with its connection', async () => {
    const asked = once(server, 'request');
    const connection = await begin([['Content-Length', '5']], 'ab');
    await asked;
    connection.close();
    expect((await nextOutcome()).read).toBe('aborted');
  });
});

describe('a large body, with room for one', () => {
  it('keeps its place until answered; the rest of a rejected one takes none', async () => {
    await begin([['Content-Length', String(LARGE)]], 'x'.repeat(LARGE));
    const first = await nextOutcome();
    expect(first.read).toBe(`${String(LARGE)} bytes`);
    expect(await readingOf([['Content-Length', String(LARGE)]])).toBe('busy');
    expect(await readingOf([CHUNKED], chunk('x'.repeat(LARGE)))).toBe('busy');
    expect(timesFull).toBe(2);

    first.response.end();
    await once(first.response, 'close');
    expect(await readingOf([['Content-Length', String(LARGE)]], 'x'.repeat(LARGE))).toBe(first.read);
    expect(timesFull).toBe(2);
  });

  it('releases its place when its connection is lost', async () => {
    const asked = once(server, 'request');
    const connection = await begin([['Content-Length', String(LARGE)]], 'x');
    await asked;
    connection.close();
    expect((await nextOutcome()).read).toBe('aborted');
    expect(await readingOf([['Content-Length', String(LARGE)]], 'x'.repeat(LARGE))).toBe(
      `${String(LARGE)} bytes`,
    );
  });
});

describe('a body in very small pieces', () => {
  /** Sends pieces one by one, each when the one before has arrived, until the reading ends. */
  async function sendPieces(length: string, piece: string, most: number): Promise<string> {
    const arrived = once(server, 'request') as Promise<[Request]>;
    const connection = await begin([['Content-Length', length]]);
    const [request] = await arrived;
    for (let sent = 0; sent < most && outcomes.length === 0; sent += 1) {
      const data = once(request, 'data');
      connection.write(piece);
      await data;
    }
    const { read, response } = await nextOutcome();
    response.end();
    return read;
  }

  it('needs room for the memory of its pieces', async () => {
    await begin([['Content-Length', String(LARGE)]], 'x'.repeat(LARGE));
    const large = await nextOutcome();
    expect(await sendPieces('60000', 'x', 200)).toBe('busy');
    large.response.end();
    await once(large.response, 'close');
  });

  it('is too large when its pieces take four times the largest body', async () => {
    expect(await sendPieces(String(LIMIT), 'x', 2000)).toBe('too-large');
  });
});
