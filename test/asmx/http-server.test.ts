// Beyond the wire contract: what the HTTP server answers itself, and which connections it keeps.

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

import express, { type Express } from 'express';

import { type AsmxOptions, createAsmx, createHttpServer, type Exchange } from '../../src/asmx';
import type { Bound } from '../../src/asmx/internal';
import {
  endServer,
  exchange,
  get,
  listen,
  RawConnection,
  type RawRequest,
  token11,
} from '../../scripts/harness';
import { certify } from '../harness/certificates';
import { endpointsWith, handlerOf } from '../harness/recording-endpoints';

const ASMX = '/PushNotificationMobile.asmx';
const OWN = certify({ name: 'localhost' });
const TLS: ConnectionOptions = { ca: OWN.certificate, servername: 'localhost' };
/** More than the system takes of an answer whose caller does not read. */
const LONG = 'x'.repeat(24 * 2 ** 20);

interface Running {
  readonly app: Express;
  readonly server: Server;
  readonly port: number;
  readonly bounds: Bound[];
  readonly reported: Exchange[];
  /** Connections as they came, in their order. */
  readonly sockets: Socket[];
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function start(
  options: Omit<AsmxOptions, 'endpoints'> = {},
  { tls, timeouts }: { tls?: ConnectionOptions | undefined; timeouts?: object } = {},
): Promise<Running> {
  const bounds: Bound[] = [];
  const reported: Exchange[] = [];
  const sockets: Socket[] = [];
  const asmx = await createAsmx({
    endpoints: endpointsWith((operation) =>
      operation === 'GetTokenDevice' ? ({ id }) => tokenOf(id) : handlerOf(() => undefined),
    ),
    onBound: (bound) => bounds.push(bound),
    observe: (each) => reported.push({ ...each }),
    ...options,
  });
  const app = express().use(asmx.middleware);
  const server = createHttpServer(app, asmx, {
    timeouts,
    tls: tls && { cert: OWN.certificate, key: OWN.key },
  });
  server.on('connection', (socket: Socket) => sockets.push(socket));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      return endServer(server);
    },
  });
  return { app, server, port: await listen(server), bounds, reported, sockets };
}

const held: ((token: string) => void)[] = [];
let onHeld: () => void = () => undefined;
beforeEach(() => {
  held.length = 0;
});

function tokenOf(id: string | null | undefined): Promise<string> {
  if (id !== 'wait') return Promise.resolve(id === 'long' ? LONG : `TOKEN-${String(id)}`);
  return new Promise((resolve) => {
    held.push(resolve);
    onHeld();
  });
}

const kept = (request: RawRequest): RawRequest => ({ ...request, keepAlive: true });
const tokenFor = (id: string): RawRequest =>
  kept(get('PushNotificationMobile', 'GetTokenDevice', `id=${id}`));

async function dial({ port }: Running, tls?: ConnectionOptions): Promise<RawConnection> {
  const connection = await RawConnection.open(port, tls);
  open.unshift(connection);
  return connection;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A connection that reads nothing, and what the server has of it. */
async function silent({ port, sockets }: Running): Promise<{ client: Socket; server: Socket }> {
  const before = sockets.length;
  const client = connect(port, '127.0.0.1');
  open.unshift({ close: () => client.destroy() });
  await once(client, 'connect');
  for (;;) {
    const server = sockets[before];
    if (server !== undefined) return { client, server };
    await turn();
  }
}

it("creates requests and responses with the application's prototypes, so that Express sets none", async () => {
  const { app, server, port } = await start();
  const born: unknown[] = [];
  server.prependOnceListener('request', (request: IncomingMessage, response: ServerResponse) => {
    born.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
  });
  expect((await exchange(port, token11('7'))).status).toBe(200);
  const { request, response } = app as unknown as Record<'request' | 'response', unknown>;
  expect(born[0]).toBe(request);
  expect(born[1]).toBe(response);
});

it('limits the time for the head to that of the whole request', async () => {
  const { port } = await start({}, { timeouts: { headersMs: 20_000, requestMs: 10_000 } });
  expect((await exchange(port, token11('7'))).status).toBe(200);
});

describe.each([
  ['plain HTTP', undefined],
  ['TLS', TLS],
])('when all connections are busy, over %s', (_name, tls) => {
  it('an extra one gets a busy answer from an endpoint, and is closed after any answer', async () => {
    const running = await start({ limits: { connections: 1 } }, { tls });
    const busy = await dial(running, tls);
    busy.send(tokenFor('wait'));
    while (held.length === 0) await new Promise<void>((resolve) => (onHeld = resolve));

    for (const request of [kept(token11('7')), tokenFor('7')]) {
      const refused = await exchange(running.port, request, tls);
      expect([refused.status, refused.header('Retry-After')]).toEqual([503, '5']);
      expect(refused.header('Connection')).toBe('close');
    }
    const other = await exchange(running.port, kept({ path: '/other' }), tls);
    expect([other.status, other.header('Connection')]).toEqual([404, 'close']);
    expect(new Set(running.bounds)).toEqual(new Set(['connections']));

    held.pop()?.('late');
    const answer = await busy.readFinal();
    expect([answer.status, answer.header('Connection')]).toEqual([200, 'keep-alive']);
  });

  it('an idle one makes room, preferably one that was never answered', async () => {
    const running = await start({ limits: { connections: 2 } }, { tls });
    const answered = await dial(running, tls);
    answered.send(tokenFor('7'));
    expect((await answered.readFinal()).status).toBe(200);
    const idle = await dial(running, tls);
    expect((await exchange(running.port, tokenFor('7'), tls)).status).toBe(200);
    expect(await idle.readUntilClosed()).toHaveLength(0);
    answered.send(tokenFor('8'));
    expect((await answered.readFinal()).text).toContain('TOKEN-8');
  });
});

it('reports when unread answers exceed their total limit', async () => {
  const running = await start({ limits: { unsentBytes: LONG.length } });
  const first = await silent(running);
  const closed = once(first.server, 'close');
  for (const { client } of [first, await silent(running)]) {
    client.write(`GET ${ASMX}/GetTokenDevice?id=long HTTP/1.1\r\nHost: h\r\n\r\n`);
  }
  await closed;
  expect(running.bounds).toEqual(['unsent']);
});

describe('an error of the server itself', () => {
  it('is reported as a lack of descriptors while it listens', async () => {
    const { server, bounds } = await start();
    server.emit('error', new Error('accept EMFILE'));
    expect(bounds).toEqual(['descriptors']);
  });

  it('is not reported if it could not begin to listen', async () => {
    const { port } = await start();
    const { server, bounds } = await start();
    await once(server.close(), 'close');
    server.listen(port, '127.0.0.1');
    await once(server, 'error');
    expect(bounds).toEqual([]);
    await listen(server);
  });
});

describe('what Node’s parser rejects', () => {
  it.each([
    ['is not a request line', 'garbage\r\n\r\n'],
    ['is not one, although the next line is', `garbage\r\nFOO ${ASMX} HTTP/1.1\r\n\r\n`],
  ])('gets 400 Bad Request if it %s', async (_what, bytes) => {
    const running = await start();
    const connection = await dial(running);
    connection.write(bytes);
    const answer = await connection.readFinal();
    expect([answer.status, answer.reason, answer.header('Allow')]).toEqual([400, 'Bad Request', undefined]);
    expect(answer.text).toContain('<h1>Bad Request</h1>');
    expect(await connection.readUntilClosed()).toHaveLength(0);
    expect(running.reported).toMatchObject([{ method: '', endpoint: undefined, status: 400 }]);
  });

  it('gets 400 Bad Request after a valid request sent with it', async () => {
    const connection = await dial(await start());
    connection.write(
      `GET ${ASMX}/GetTokenDevice?id=7 HTTP/1.1\r\nHost: h\r\n\r\nFOO ${ASMX} HTTP/1.1\r\nHost: h\r\n\r\n`,
    );
    expect((await connection.readFinal()).text).toContain('TOKEN-7');
    expect((await connection.readFinal()).status).toBe(400);
    expect(await connection.readUntilClosed()).toHaveLength(0);
  });

  it('gets 400 Bad Request if a body looks like a request', async () => {
    const connection = await dial(await start());
    connection.send({
      method: 'POST',
      path: ASMX,
      headers: [
        ['Transfer-Encoding', 'chunked'],
        ['Expect', '100-continue'],
      ],
    });
    expect((await connection.read()).status).toBe(100);
    connection.write(`FOO ${ASMX} HTTP/1.1\r\n`);
    expect((await connection.readFinal()).status).toBe(400);
  });

  it('is not reported if the caller reset the connection', async () => {
    const running = await start();
    const { client, server } = await silent(running);
    client.write(`GET ${ASMX} HTTP/1.1\r\nHo`);
    while (server.bytesRead === 0) await turn();
    const closed = new Promise((resolve) => server.once('close', resolve));
    client.resetAndDestroy();
    await closed;
    expect((await exchange(running.port, token11('7'))).status).toBe(200);
    expect(running.reported).toMatchObject([{ status: 200 }]);
  });
});

it('closes a connection after a failed TLS handshake, without an answer or a report', async () => {
  const running = await start({}, { tls: TLS });
  const connection = await dial(running);
  connection.write(`GET ${ASMX} HTTP/1.1\r\nHost: h\r\n\r\n`);
  expect((await connection.readUntilClosed()).toString('latin1')).not.toContain('HTTP');
  expect((await exchange(running.port, token11('7'), TLS)).status).toBe(200);
  expect(running.reported).toMatchObject([{ status: 200 }]);
});
