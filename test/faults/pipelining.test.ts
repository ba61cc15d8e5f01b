// One connection that sends many requests at once.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { seen, token11Is } from '../support/asmx-answers';
import { startAsmxServer } from '../support/asmx-server';
import { endpointsWith, handlerOf } from '../support/recording-endpoints';
import { useServer } from '../support/use-server';
import { get, type RawConnection, type RawRequest, token11 } from '../../scripts/harness';

const MALFORMED = 'GET / HTTP/1.1\r\nHost: h\r\n: no name\r\n\r\n';

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

async function connected(): Promise<RawConnection> {
  const connection = await server.connect();
  open.push(connection);
  return connection;
}

const kept = (request: RawRequest): RawRequest => ({ ...request, keepAlive: true });

/** Waits until so many calls have begun in all. */
async function untilBegun(count: number): Promise<void> {
  while (begun.length < count) await new Promise<void>((resolve) => (onBegin = resolve));
}

/** Lets the service do whatever it still would: others are answered meanwhile. */
async function othersAreAnswered(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await server.send({ path: '/PushNotificationMobile.asmx?WSDL' });
}

describe('requests that a connection sends at once', () => {
  it('are worked on one after the other, and answered in their order', async () => {
    const connection = await connected();
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

  it('leave the connection open for the next', async () => {
    const connection = await connected();
    for (const ids of [['1', '2'], ['3'], ['4', '5', '6']]) {
      for (const id of ids) connection.send(kept(token11(id)));
      for (const id of ids) {
        while (running.length === 0) await new Promise<void>((resolve) => (onBegin = resolve));
        running.pop()?.();
        expect(seen(await connection.readFinal())).toEqual(token11Is(`TOKEN-${id}`));
      }
    }
  });

  it('hold the connection up, so that it cannot send more than is worked on', async () => {
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

describe('a malformed request behind a good one', () => {
  it('is refused when the good one is answered', async () => {
    const connection = await connected();
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

  it('is refused at once where the good one is answered', async () => {
    const connection = await connected();
    connection.send(kept({ path: '/PushNotificationMobile.asmx?WSDL' }));
    expect((await connection.readFinal()).status).toBe(200);
    connection.write(MALFORMED);
    expect((await connection.readFinal()).status).toBe(400);
  });
});
