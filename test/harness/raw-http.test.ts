import { createServer, type Server, type Socket } from 'node:net';

import {
  callAtOnce,
  chunked,
  exchange,
  formatRequest,
  listen,
  portOf,
  RawClient,
  RawConnection,
  ResponseReader,
} from '../../scripts/harness';

let server: Server;
let answer: (socket: Socket, request: string) => void;

beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      answer(socket, bytes.toString('latin1'));
    });
  });
  await listen(server);
});

afterEach(() => server.close());

describe('formatRequest', () => {
  it('adds Host, Content-Length and Connection, and nothing else', () => {
    const bytes = formatRequest({ path: '/a b', headers: [['x-Y', 'z']], body: 'ş' }, 'h:1');
    expect(bytes.toString('utf8')).toBe(
      'POST /a b HTTP/1.1\r\nHost: h:1\r\nx-Y: z\r\nContent-Length: 2\r\nConnection: close\r\n\r\nş',
    );
  });

  it('leaves the connection open if requested', () => {
    expect(formatRequest({ path: '/', keepAlive: true }, 'h').toString()).toBe(
      'GET / HTTP/1.1\r\nHost: h\r\n\r\n',
    );
  });

  it('keeps the headers of the request', () => {
    const own: [string, string][] = [
      ['host', 'own'],
      ['content-length', '9'],
      ['connection', 'keep-alive'],
    ];
    expect(formatRequest({ path: '/', headers: own, body: '' }, 'h').toString()).toBe(
      'POST / HTTP/1.1\r\nhost: own\r\ncontent-length: 9\r\nconnection: keep-alive\r\n\r\n',
    );
  });

  it('announces an empty body for a POST without one, and none for a GET', () => {
    expect(formatRequest({ method: 'POST', path: '/' }, 'h').toString()).toContain('Content-Length: 0\r\n');
    expect(formatRequest({ path: '/' }, 'h').toString()).not.toContain('Content-Length');
  });
});

describe('exchange', () => {
  it('keeps the letter case of header names and reads a body by its Content-Length', async () => {
    answer = (socket) => socket.write('HTTP/1.1 200 Fine\r\nX-oDD: 1\r\ncontent-length: 3\r\n\r\nabcTAIL');
    const response = await exchange(portOf(server), { path: '/' });
    expect(response).toMatchObject({
      status: 200,
      reason: 'Fine',
      headers: [['X-oDD', '1'], expect.anything()],
    });
    expect(response.text).toBe('abc');
    expect(response.header('CONTENT-LENGTH')).toBe('3');
  });

  it('reads a chunked body', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    answer = (socket) => socket.write(head + chunked('ab', 'c'.repeat(20)));
    expect((await exchange(portOf(server), { path: '/' })).text).toBe('ab' + 'c'.repeat(20));
  });

  it('reads a body without a length up to the end of the connection', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it');
    expect((await exchange(portOf(server), { path: '/' })).text).toBe('all of it');
  });

  it('expects no body after a HEAD', async () => {
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n');
    expect((await exchange(portOf(server), { method: 'HEAD', path: '/' })).body).toHaveLength(0);
  });

  it('skips 100 Continue', async () => {
    answer = (socket) =>
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n');
    expect((await exchange(portOf(server), { path: '/' })).status).toBe(204);
  });

  it('fails with what it received when the server closes too early', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc');
    await expect(exchange(portOf(server), { path: '/' })).rejects.toThrow(/closed the connection.*abc/);
  });
});

describe('RawConnection', () => {
  it('reads pipelined responses one after the other', async () => {
    const one = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n';
    answer = (socket) => socket.end(`${one}1${one}2rest`);
    const connection = await RawConnection.open(portOf(server));
    connection.write('go');
    expect((await connection.read()).text).toBe('1');
    expect((await connection.read()).text).toBe('2');
    expect((await connection.readUntilClosed()).toString()).toBe('rest');
    connection.close();
  });
});

describe('ResponseReader', () => {
  it.each([
    ['with a length', `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd`],
    ['in chunks', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked('ab', 'cd')}`],
  ])('returns a response %s when its last byte has arrived, and no sooner', (_, text) => {
    const reader = new ResponseReader();
    const taken = Array.from(`${text}HTTP`, (byte) => {
      reader.add(Buffer.from(byte));
      return reader.take(false)?.text;
    });
    expect(taken.map((body, at) => [at, body]).filter(([, body]) => body !== undefined)).toEqual([
      [text.length - 1, 'abcd'],
    ]);
    expect(reader.rest.toString()).toBe('HTTP');
  });
});

describe('RawClient', () => {
  it('keeps its connection until the server closes it', async () => {
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const headers = ['', 'Connection: close\r\n', ''].values();
    answer = (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${headers.next().value ?? ''}Content-Length: 0\r\n\r\n`);
    const client = new RawClient(portOf(server));
    await client.ask({ path: '/' });
    await client.ask({ path: '/' });
    expect(connections).toBe(1);
    await client.ask({ path: '/' });
    expect(connections).toBe(2);
    client.close();
  });
});

describe('callAtOnce', () => {
  it('gives every call to one caller, and each caller one call at a time', async () => {
    const made: [caller: string, call: number][] = [];
    const busy = new Set<string>();
    await callAtOnce(['a', 'b'], [1, 2, 3, 4, 5], async (caller, call) => {
      expect(busy).not.toContain(caller);
      busy.add(caller);
      made.push([caller, call]);
      await Promise.resolve();
      busy.delete(caller);
    });
    expect(made.map(([, call]) => call)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(made.map(([caller]) => caller))).toEqual(new Set(['a', 'b']));
  });
});
