// Beyond the wire contract, section 1: requests that are for no endpoint.

import type { Server, ServerResponse } from 'node:http';

import express from 'express';

import { createAsmx, createHttpServer, type Exchange } from '../../src/asmx';
import { endServer, exchange, listen, portOf, RawConnection, readDescription } from '../../scripts/harness';

const SECRET = new Error('a secret of the program');

/** Without a SOAPAction and a body. */
const CALL = { method: 'POST', path: '/PushNotificationMobile.asmx' } as const;

const ENDPOINTS = [
  {
    description: readDescription('PushNotificationMobile'),
    handlers: { GetTokenDevice: () => Promise.resolve('token') },
  },
];

describe('an application around the endpoints', () => {
  const reported: Exchange[] = [];
  let server: Server;
  let port: number;

  beforeAll(async () => {
    const asmx = await createAsmx({
      endpoints: ENDPOINTS,
      observe: (exchange) => reported.push({ ...exchange }),
    });
    const app = express().disable('x-powered-by');
    app.use(asmx.middleware);
    app.get('/throws', () => {
      throw SECRET;
    });
    app.get('/rejects', () => Promise.reject(SECRET));
    app.get('/left', (_request, _response, next) => {
      next('router');
    });
    app.get('/half', (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('half');
      throw SECRET;
    });
    server = createHttpServer(app, asmx, {
      soap: (request, response, next) => {
        switch (request.headers['x-handler']) {
          case 'throws':
            throw SECRET;
          case 'rejects':
            return Promise.reject(SECRET);
          case 'passes on':
            next();
            return undefined;
          case 'passes an error on':
            next(SECRET);
            return undefined;
          default:
            response.end('own');
            return undefined;
        }
      },
    });
    port = await listen(server);
  });
  afterAll(() => endServer(server));
  beforeEach(() => {
    reported.length = 0;
  });

  it.each(['/throws', '/rejects'])(
    'answers with a page without details when one of its handlers fails: %s',
    async (path) => {
      const response = await exchange(port, { path });
      expect(response.status).toBe(500);
      expect(response.text).not.toContain('secret');
      expect(reported).toEqual([
        expect.objectContaining({ status: 500, outcome: 'server_error', error: SECRET }),
      ]);
    },
  );

  it.each(['throws', 'rejects', 'passes an error on'])(
    'answers with the same page when the handler for SOAP calls fails: %s',
    async (handler) => {
      const response = await exchange(port, { ...CALL, headers: [['X-Handler', handler]] });
      expect(response.status).toBe(500);
      expect(response.text).not.toContain('secret');
      expect(reported).toEqual([
        expect.objectContaining({ status: 500, outcome: 'server_error', error: SECRET }),
      ]);
    },
  );

  it('lets the application answer what the handler for SOAP calls passes on', async () => {
    expect((await exchange(port, { ...CALL, headers: [['X-Handler', 'passes on']] })).status).toBe(500);
    expect(reported).toEqual([expect.objectContaining({ endpoint: 'PushNotificationMobile' })]);
  });

  it.each([
    ['a SOAP call', CALL, true],
    ['a GET of the path', { path: CALL.path }, false],
    ['a POST to an operation', { ...CALL, path: `${CALL.path}/GetTokenDevice` }, false],
    ['a path in another spelling', { ...CALL, path: CALL.path.toLowerCase() }, false],
    ['an unknown path', { ...CALL, path: '/nobody' }, false],
  ])('uses the handler for SOAP calls only for SOAP calls: %s', async (_what, request, own) => {
    expect((await exchange(port, request)).text === 'own').toBe(own);
  });

  it.each(['/nobody', '/left'])('answers requests that no handler answered: %s', async (path) => {
    const response = await exchange(port, { path });
    expect(response.status).toBe(404);
    expect(reported).toEqual([expect.objectContaining({ status: 404, outcome: 'client_error' })]);
  });

  it('answers at the end of the turn in which a request arrives, and a caller alone at once', async () => {
    const asmx = await createAsmx({ endpoints: ENDPOINTS });
    const own = createHttpServer(express().use(asmx.middleware), asmx);
    const ended: boolean[] = [];
    // Looks before the end of the turn, which the server's own listener begins.
    own.prependListener('request', (_request, response: ServerResponse) => {
      setImmediate(() => ended.push(response.writableEnded));
    });
    const call = { path: `${CALL.path}/GetTokenDevice`, keepAlive: true };
    const alone = await RawConnection.open(await listen(own));
    try {
      alone.send(call);
      await alone.readFinal();
      expect(ended).toEqual([true]);
      const second = await RawConnection.open(portOf(own));
      second.send(call);
      await second.readFinal();
      expect(ended).toEqual([true, false]);
    } finally {
      await endServer(own);
    }
  });

  it('closes the connection when half an answer has been sent', async () => {
    const connection = await RawConnection.open(port);
    connection.send({ path: '/half' });
    const received = await connection.readUntilClosed();
    expect(received.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nhalf$/);
    expect(reported).toEqual([expect.objectContaining({ outcome: 'server_error', error: SECRET })]);
  });
});
