// Callers that send requests without reading the answers, and idle connections.

import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

import express from 'express';

import { type AsmxLimits, createAsmx, createHttpServer, type HttpTimeouts } from '../../src/asmx';
import type { Bound } from '../../src/asmx/internal';
import {
  endServer,
  exchange,
  formatRequest,
  get,
  listen,
  RawConnection,
  token11,
} from '../../scripts/harness';
import { authority, certify } from '../harness/certificates';
import { endpointsWith, handlerOf } from '../harness/recording-endpoints';

const MEGABYTE = 2 ** 20;
/** More than the system takes from a service whose caller does not read. */
const LONG = 'x'.repeat(24 * MEGABYTE);
const ASK_LONG = formatRequest(
  { ...get('PushNotificationMobile', 'GetTokenDevice', 'id=long'), keepAlive: true },
  'h',
);

interface Running {
  readonly port: number;
  /** How a caller speaks TLS with it; undefined for plain HTTP. */
  readonly tls: ConnectionOptions | undefined;
  readonly bounds: Bound[];
  /** Connections as the server sees them, in their order. */
  readonly sockets: Socket[];
}

const servers: Server[] = [];
const clients: { destroy(): void }[] = [];
let letGo: (() => void)[] = [];

const ISSUER = authority('Test issuer');
const SERVER = certify({ name: 'localhost', issuer: ISSUER });
const TLS = { ca: ISSUER.certificate, servername: 'localhost' };

async function start(
  tls: ConnectionOptions | undefined,
  limits: Partial<AsmxLimits>,
  timeouts: Partial<HttpTimeouts> = {},
): Promise<Running> {
  const bounds: Bound[] = [];
  const sockets: Socket[] = [];
  const asmx = await createAsmx({
    endpoints: endpointsWith((operation) =>
      operation === 'GetTokenDevice'
        ? ({ id }) =>
            id === 'wait'
              ? new Promise((resolve) => {
                  letGo.push(() => {
                    resolve('late');
                  });
                  onWaiting();
                })
              : Promise.resolve(id === 'long' ? LONG : `TOKEN-${String(id)}`)
        : handlerOf(() => undefined),
    ),
    limits,
    onBound: (bound) => bounds.push(bound),
  });
  const app = express().use(asmx.middleware);
  app.get('/healthz', (_request, response) => {
    response.json('alive');
  });
  const own = tls && { cert: SERVER.certificate, key: SERVER.key };
  const server = createHttpServer(app, asmx, { timeouts, tls: own, soap: asmx.middleware });
  servers.push(server);
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => sockets.push(socket));
  return { port: await listen(server), tls, bounds, sockets };
}

/** Opens a connection that is closed after the test. */
async function openRaw({ port, tls }: Running): Promise<RawConnection> {
  const connection = await RawConnection.open(port, tls);
  clients.push({
    destroy: () => {
      connection.close();
    },
  });
  return connection;
}

let onWaiting: () => void = () => undefined;

/** Waits until this number of calls wait in their handlers. */
async function untilWaiting(count: number): Promise<void> {
  while (letGo.length < count) await new Promise<void>((resolve) => (onWaiting = resolve));
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  letGo = [];
  await Promise.all(servers.splice(0).map(endServer));
});

/** Opens a connection that is not read until it is resumed. */
async function silent({ port, tls, sockets }: Running): Promise<{ client: Socket; server: Socket }> {
  const where = { port, host: '127.0.0.1' };
  const client = tls === undefined ? connect(where) : connectTls({ ...tls, ...where });
  clients.push(client);
  client.on('error', () => undefined);
  const before = sockets.length;
  await once(client, tls === undefined ? 'connect' : 'secureConnect');
  while (sockets.length === before) await new Promise((resolve) => setImmediate(resolve));
  const server = sockets[before];
  if (server === undefined) throw new Error('The server has no connection.');
  return { client, server };
}

async function bytesUntilClose(client: Socket): Promise<number> {
  let received = 0;
  client.on('data', (bytes: Buffer) => (received += bytes.length));
  await once(client, 'close');
  return received;
}

describe.each([
  ['plain HTTP', undefined],
  ['TLS', TLS],
])('over %s', (_name, tls) => {
  describe('an answer that its caller does not read', () => {
    it('is cut off after its time limit', async () => {
      const running = await start(tls, { unsentMilliseconds: 200 });
      const { client, server } = await silent(running);
      client.write(ASK_LONG);
      await once(server, 'close');
      expect(await bytesUntilClose(client)).toBeLessThan(LONG.length);
      expect(running.bounds).toEqual([]);
    });

    it('is sent completely if it is read slowly', async () => {
      const running = await start(tls, { unsentMilliseconds: 2000 });
      const { client } = await silent(running);
      client.write(ASK_LONG);
      let taken = 0;
      client.on('data', (bytes: Buffer) => {
        taken += bytes.length;
        if (taken < MEGABYTE / 4) return;
        taken = 0;
        client.pause();
        setTimeout(() => client.resume(), 30);
      });
      let received = 0;
      await new Promise<void>((resolve, reject) => {
        client.on('close', () => {
          reject(new Error(`Closed behind ${String(received)} bytes.`));
        });
        client.on('data', (bytes: Buffer) => {
          received += bytes.length;
          if (received > LONG.length) resolve();
        });
      });
      expect(running.bounds).toEqual([]);
    });

    it('leaves the connection to further requests, however long their handlers take', async () => {
      // Long enough for a machine that stalls for a moment.
      const running = await start(tls, { unsentMilliseconds: 1000 });
      const connection = await openRaw(running);
      connection.write(ASK_LONG);
      expect((await connection.readFinal()).status).toBe(200);
      const begun = performance.now();
      connection.send({ ...get('PushNotificationMobile', 'GetTokenDevice', 'id=wait'), keepAlive: true });
      await untilWaiting(1);
      // Other, stalled connections are cut off meanwhile.
      const { client, server } = await silent(running);
      client.write(ASK_LONG);
      await once(server, 'close');
      expect(performance.now() - begun).toBeGreaterThan(1000);
      letGo.pop()?.();
      expect((await connection.readFinal()).text).toContain('late');
    });

    it('makes room for others when the total is too large, the oldest first', async () => {
      const running = await start(tls, { unsentBytes: 50 * MEGABYTE });
      const first = await silent(running);
      first.client.write(ASK_LONG);
      while (first.server.writableLength === 0) await exchange(running.port, { path: '/healthz' }, tls);
      const closed = once(first.server, 'close');
      const others = await Promise.all([silent(running), silent(running)]);
      for (const { client } of others) client.write(ASK_LONG);
      await closed;
      expect(running.bounds).toEqual(['unsent']);
      expect(others.map(({ server }) => server.destroyed)).toEqual([false, false]);
    });
  });

  describe('connections over the limit', () => {
    const idleCount = ({ sockets }: Running): number => sockets.filter(({ destroyed }) => !destroyed).length;

    it('replace idle ones, first those that sent no request', async () => {
      const running = await start(tls, { connections: 4 });
      const kept = await openRaw(running);
      kept.send({ path: '/healthz', keepAlive: true });
      expect((await kept.readFinal()).status).toBe(200);
      for (let count = 0; count < 10; count += 1) await silent(running);
      expect(idleCount(running)).toBe(4);
      expect((await exchange(running.port, token11('7'), tls)).status).toBe(200);
      kept.send({ path: '/healthz', keepAlive: true });
      expect((await kept.readFinal()).status).toBe(200);
      expect(new Set(running.bounds)).toEqual(new Set(['connections']));
    });

    it('get a busy answer when all are busy, but can still check the health', async () => {
      const running = await start(tls, { connections: 2 });
      const busy = await Promise.all([silent(running), silent(running)]);
      const wait = formatRequest(
        { ...get('PushNotificationMobile', 'GetTokenDevice', 'id=wait'), keepAlive: true },
        'h',
      );
      for (const { client } of busy) client.write(wait);
      await untilWaiting(2);
      for (let count = 0; count < 40; count += 1) await silent(running);
      expect(idleCount(running)).toBe(2 + 16);

      for (const request of [token11('7'), get('PushNotificationMobile', 'GetTokenDevice', 'id=7')]) {
        const refused = await exchange(running.port, { ...request, keepAlive: true }, tls);
        expect([refused.status, refused.header('Retry-After')]).toEqual([503, '5']);
        expect(refused.header('Connection')).toBe('close');
      }
      const health = await exchange(running.port, { path: '/healthz', keepAlive: true }, tls);
      expect([health.status, health.header('Connection')]).toEqual([200, 'close']);
      expect(busy.map(({ server }) => server.destroyed)).toEqual([false, false]);
    });
  });
});

/** Returns what a caller begins a handshake with. */
function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (bytes: Buffer, _encoding, done) => {
        resolve(bytes);
        done();
      },
    });
    clients.push(connectTls({ ...TLS, socket }).on('error', () => undefined));
  });
}

describe('a handshake', () => {
  const dial = async ({ port }: Running): Promise<Socket> => {
    const client = connect({ port, host: '127.0.0.1' });
    clients.push(client);
    client.on('error', () => undefined);
    await once(client, 'connect');
    return client.resume();
  };

  it('that does not finish is cut off after the header timeout, however much is sent', async () => {
    const running = await start(TLS, {}, { headersMs: 300 });
    const client = await dial(running);
    // The beginning of a record of 500 bytes, and byte by byte a little more of it.
    client.write(Buffer.from([0x16, 3, 1, 1, 0xf4, 1, 0, 1, 0xf0, 3, 3]));
    const trickle = setInterval(() => client.write(Buffer.alloc(1)), 20);
    // What is sent too late has the connection reset, which is an end as well.
    await new Promise((resolve) => client.once('close', resolve));
    clearInterval(trickle);
    expect(running.sockets).toEqual([]);
  });

  it('that has not finished makes room before connections that were answered', async () => {
    const running = await start(TLS, { connections: 3 });
    const kept = await openRaw(running);
    kept.send({ path: '/healthz', keepAlive: true });
    expect((await kept.readFinal()).status).toBe(200);
    const begun = await Promise.all(Array.from({ length: 20 }, () => dial(running)));
    const hello = await clientHello();
    // Two of them are left, and have the beginning of an answer.
    let greeted = 0;
    await new Promise<void>((resolve) => {
      for (const client of begun) {
        client.once('data', () => {
          greeted += 1;
          if (greeted === 2) resolve();
        });
        client.write(hello);
      }
    });
    expect((await exchange(running.port, token11('7'), TLS)).status).toBe(200);
    kept.send({ path: '/healthz', keepAlive: true });
    expect((await kept.readFinal()).status).toBe(200);
    expect(new Set(running.bounds)).toEqual(new Set(['connections']));
  });
});
