// Beyond the wire contract: one connection that sends many requests at once.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';

import { createTurnResponse, type PipelinedResponse } from '../../src/asmx/pipelining';
import type { WriteBacklog } from '../../src/asmx/write-backlog';
import { seen, token11Is } from '../harness/asmx-answers';
import { startAsmxServer } from '../harness/asmx-server';
import { endpointsWith, handlerOf } from '../harness/recording-endpoints';
import { useServer } from '../harness/use-server';
import {
  endServer,
  formatRequest,
  get,
  listen,
  portOf,
  RawConnection,
  type RawRequest,
  token11,
} from '../../scripts/harness';

const MALFORMED = 'GET / HTTP/1.1\r\nHost: h\r\n: no name\r\n\r\n';
/** More than the system takes of an answer whose caller does not read. */
const LONG = Buffer.alloc(24 * 2 ** 20, 'x');

/** A service whose answers are held back until the test lets them go. */
const running: (() => void)[] = [];
const begun: (string | null | undefined)[] = [];
const server = useServer(() =>
  startAsmxServer({
    endpoints: endpointsWith((operation) =>
      operation === 'GetTokenDevice'
        ? ({ id }) => {
            begun.push(id);
            onBegin();
            return new Promise((resolve) => {
              running.push(() => {
                resolve(`TOKEN-${String(id)}`);
              });
            });
          }
        : handlerOf(() => undefined),
    ),
  }),
);

let onBegin: () => void = () => undefined;
const open: { close(): void }[] = [];
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
  running.length = 0;
  begun.length = 0;
});

const kept = (request: RawRequest): RawRequest => ({ ...request, keepAlive: true });

/** Waits until this number of calls have begun in total. */
async function untilBegun(count: number): Promise<void> {
  while (begun.length < count) await new Promise<void>((resolve) => (onBegin = resolve));
}

/** Lets the service do whatever it still would: others are answered meanwhile. */
async function othersAreAnswered(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await server.send({ path: '/PushNotificationMobile.asmx?WSDL' });
}

describe('a server of pipelined responses', () => {
  interface Begun {
    readonly request: IncomingMessage;
    readonly response: PipelinedResponse;
  }
  const arrived: IncomingMessage[] = [];
  const served: Begun[] = [];
  const watched: unknown[] = [];
  let onChange: () => void = () => undefined;
  let turns: Server;

  beforeAll(async () => {
    const unsent = { watch: (response: unknown) => watched.push(response) } as unknown as WriteBacklog;
    const options = { ServerResponse: createTurnResponse(unsent) };
    turns = createServer(options, (request, response: PipelinedResponse) => {
      const serve = (): void => {
        served.push({ request, response });
        onChange();
      };
      arrived.push(request);
      if (response.isItsTurn) serve();
      else response.whenItsTurn(serve);
    });
    await listen(turns);
  });
  afterAll(() => endServer(turns));
  beforeEach(() => {
    for (const list of [arrived, served, watched]) list.length = 0;
  });

  /** The request that was begun so far back, when it is. */
  async function nth(index: number): Promise<Begun> {
    for (;;) {
      const begun = served[index];
      if (begun !== undefined) return begun;
      await new Promise<void>((resolve) => (onChange = resolve));
    }
  }

  /** Sends requests in one piece, and returns when the server has them all. */
  async function sendAtOnce(write: (bytes: Buffer) => void, ...requests: readonly RawRequest[]) {
    write(Buffer.concat(requests.map((request) => formatRequest(kept(request), 'h'))));
    while (arrived.length < requests.length) await once(turns, 'request');
  }

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('stops reading while requests wait, even if a body is read, and resumes afterwards', async () => {
    const connection = await RawConnection.open(portOf(turns));
    open.push(connection);
    await sendAtOnce(
      (bytes) => {
        connection.write(bytes);
      },
      { path: '/1', body: 'body' },
      { path: '/2' },
      { path: '/3' },
    );
    const first = await nth(0);
    const { socket } = first.request;
    expect(socket.isPaused()).toBe(true);
    first.request.resume();
    await once(first.request, 'end');
    await turn();
    expect(socket.isPaused()).toBe(true);

    first.response.end();
    const second = await nth(1);
    expect([second.request.url, socket.isPaused()]).toEqual(['/2', true]);
    second.response.end();
    const third = await nth(2);
    await turn();
    expect([third.request.url, socket.isPaused()]).toEqual(['/3', false]);
    third.response.end();
    for (const { request } of served) {
      expect((await connection.readFinal(request.method)).status).toBe(200);
    }
  });

  it('watches only answers that the system does not accept at once', async () => {
    const socket = connect(portOf(turns), '127.0.0.1');
    open.push({ close: () => socket.destroy() });
    await sendAtOnce((bytes) => socket.write(bytes), { path: '/short' }, { path: '/long' });
    const short = await nth(0);
    short.response.end('short');
    const long = await nth(1);
    expect(watched).toEqual([]);
    long.response.end(LONG);
    expect(watched).toEqual([long.response]);
  });

  it('starts no request whose connection was closed while it waited', async () => {
    const socket = connect(portOf(turns), '127.0.0.1');
    open.push({ close: () => socket.destroy() });
    await sendAtOnce((bytes) => socket.write(bytes), { path: '/long' }, { path: '/2' });
    const { request, response } = await nth(0);
    response.end(LONG);
    const closed = once(request.socket, 'close');
    request.socket.destroy();
    await closed;
    await turn();
    await turn();
    expect(served).toHaveLength(1);
  });
});

describe('pipelined requests', () => {
  it('are processed one after the other, and answered in order', async () => {
    const connection = await server.connect();
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    for (const id of ids) connection.send(kept(token11(id)));
    for (const [index, id] of ids.entries()) {
      await untilBegun(index + 1);
      if (index === 0) await othersAreAnswered();
      expect(running).toHaveLength(1);
      running.pop()?.();
      expect(seen(await connection.readFinal())).toEqual(token11Is(`TOKEN-${id}`));
    }
    expect(begun).toEqual(ids);
  });

  it.each([1, 2, 30])('are all answered, %i of them, if the caller has closed its side', async (count) => {
    const connection = await server.connect();
    const ids = Array.from({ length: count }, (_, index) => String(index));
    for (const id of ids) connection.send(kept(token11(id)));
    connection.endWriting();
    for (const [index, id] of ids.entries()) {
      await untilBegun(index + 1);
      // The server has time to read the end.
      await othersAreAnswered();
      running.pop()?.();
      expect(seen(await connection.readFinal())).toEqual(token11Is(`TOKEN-${id}`));
    }
  });

  it('leave the connection open for the next', async () => {
    const connection = await server.connect();
    for (const ids of [['1', '2'], ['3'], ['4', '5', '6']]) {
      for (const id of ids) connection.send(kept(token11(id)));
      for (const id of ids) {
        while (running.length === 0) await new Promise<void>((resolve) => (onBegin = resolve));
        running.pop()?.();
        expect(seen(await connection.readFinal())).toEqual(token11Is(`TOKEN-${id}`));
      }
    }
  });

  it('pause the connection, so that it cannot send more than is processed', async () => {
    const socket: Socket = connect(Number(server.host.split(':')[1]), '127.0.0.1');
    open.push({ close: () => socket.destroy() });
    await once(socket, 'connect');
    const request = 'GET /PushNotificationMobile.asmx/GetTokenDevice?id=1 HTTP/1.1\r\nHost: h\r\n\r\n';
    const megabyte = request.repeat(Math.ceil(2 ** 20 / request.length));
    for (let part = 0; part < 32; part += 1) socket.write(megabyte);
    await untilBegun(1);
    for (let round = 0; round < 20; round += 1) await othersAreAnswered();
    expect(socket.writableLength).toBeGreaterThan(0);
    expect(begun).toHaveLength(1);
  });
});

describe('a malformed request after a valid one', () => {
  it('is rejected after the valid one is answered', async () => {
    const connection = await server.connect();
    connection.send(kept(token11('7')));
    connection.send(kept(get('PushNotificationMobile', 'GetTokenDevice', 'id=8')));
    connection.write(MALFORMED);
    for (const count of [1, 2]) {
      await untilBegun(count);
      running.pop()?.();
      expect((await connection.readFinal()).status).toBe(200);
    }
    expect((await connection.readFinal()).status).toBe(400);
    expect(await connection.readUntilClosed()).toHaveLength(0);
  });

  it('is rejected at once if the valid one has been answered', async () => {
    const connection = await server.connect();
    connection.send(kept({ path: '/PushNotificationMobile.asmx?WSDL' }));
    expect((await connection.readFinal()).status).toBe(200);
    connection.write(MALFORMED);
    expect((await connection.readFinal()).status).toBe(400);
  });
});
