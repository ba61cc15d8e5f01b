import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';

import { Listener } from '../../src/service/listener';

const LONG = 60_000;

describe('draining a server', () => {
  let server: Server;
  let listener: Listener;
  let port: number;
  let agent: Agent;
  beforeEach(async () => {
    server = createServer();
    listener = new Listener(server);
    port = await listener.listen({ port: 0, host: '127.0.0.1' }, 'PORT');
    agent = new Agent({ keepAlive: true });
  });
  afterEach(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });

  /** Sends a request, and returns when the server has it: its answer to write, and that answer as it arrives. */
  async function begin(): Promise<{ response: ServerResponse; answer: Promise<IncomingMessage> }> {
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent }, resolve).on('error', reject);
    });
    const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    return { response, answer };
  }

  async function dial(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  it('answers the requests in flight before it ends', async () => {
    const requests = [await begin(), await begin()];
    const drained = listener.drain(LONG);
    for (const { response, answer } of requests) {
      response.end('late');
      expect((await answer.then((message) => message.resume())).statusCode).toBe(200);
    }
    expect(await drained).toBe(false);
  });

  it('forgets connections that have ended', async () => {
    const made = once(server, 'connection') as Promise<[Socket]>;
    const client = await dial();
    const [socket] = await made;
    const closed = once(socket, 'close');
    client.destroy();
    await closed;
    const { response, answer } = await begin();
    const destroy = jest.spyOn(socket, 'destroy');
    const swept = new Promise<void>((resolve) => {
      const close = server.closeIdleConnections.bind(server);
      let times = 0;
      jest.spyOn(server, 'closeIdleConnections').mockImplementation(() => {
        close();
        times += 1;
        // The first time is that of the server's own close.
        if (times === 2) setImmediate(resolve);
      });
    });
    const drained = listener.drain(LONG);
    await swept;
    expect(destroy).not.toHaveBeenCalled();
    response.end();
    (await answer).resume();
    await drained;
  });

  it('accepts no new connection', async () => {
    const { response, answer } = await begin();
    const drained = listener.drain(LONG);
    await new Promise(setImmediate);
    const socket = connect(port, '127.0.0.1');
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    response.end();
    (await answer).resume();
    await drained;
  });

  it('closes idle connections', async () => {
    const { response, answer } = await begin();
    response.end();
    (await answer).resume();
    expect(await listener.drain(LONG)).toBe(false);
  });

  it('closes connections that were opened and never used', async () => {
    const socket = await dial();
    const ended = once(socket, 'end');
    expect(await listener.drain(LONG)).toBe(false);
    socket.resume();
    await ended;
  });

  it('answers one more request on a connection with Connection: close', async () => {
    const socket = await dial();
    socket.write('GET /1 HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, first] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const drained = listener.drain(LONG);
    socket.write('GET /2 HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, second] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    first.end();
    second.end();
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(text).toMatch(/Connection: close/);
    expect(await drained).toBe(false);
  });

  it('aborts requests that do not finish in time', async () => {
    const { answer } = await begin();
    const cut = listener.drain(1);
    await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await cut).toBe(true);
  });

  it('is done at once if the server never listened', async () => {
    expect(await new Listener(createServer()).drain(LONG)).toBe(false);
  });
});

describe('listening', () => {
  it('reports the port and the setting if the port is in use', async () => {
    const first = createServer();
    const second = createServer();
    try {
      const port = await new Listener(first).listen({ port: 0, host: '127.0.0.1' }, 'PORT');
      await expect(new Listener(second).listen({ port, host: '127.0.0.1' }, 'ADMIN_PORT')).rejects.toThrow(
        `Cannot listen on port ${String(port)} of 127.0.0.1 (ADMIN_PORT): the port is in use.`,
      );
    } finally {
      first.close();
    }
  });

  it('reports an address that the machine does not have', async () => {
    await expect(new Listener(createServer()).listen({ port: 0, host: '192.0.2.1' }, 'PORT')).rejects.toThrow(
      'this machine does not have the address',
    );
  });
});
