// Beyond the wire contract: what a port without TLS answers beside one with it.

import { createServer } from 'node:http';

import express from 'express';

import { endServer, exchange, listen, type RawRequest } from '../../scripts/harness';
import { type AsmxOptions, createAsmx, type Exchange } from '../../src/asmx';
import { REFERENCE_ENDPOINTS } from '../reference/endpoints';

const ASMX = '/GetNoteType.asmx';
const OPERATION = `${ASMX}/GetStudentsNoteType`;

/** A port without TLS, beside one with it. */
function usePlainPort(options: Omit<AsmxOptions, 'endpoints'> = {}, securePort = 8443) {
  const reported: Exchange[] = [];
  let port = 0;
  let close: () => Promise<unknown>;
  beforeAll(async () => {
    const observe = (exchanged: Exchange): void => void reported.push(exchanged);
    const asmx = await createAsmx({ endpoints: REFERENCE_ENDPOINTS, observe, ...options });
    const server = createServer(express().use(asmx.plainPort(securePort)));
    port = await listen(server);
    close = () => endServer(server);
  });
  afterAll(() => close());
  beforeEach(() => {
    reported.length = 0;
  });
  const send = (request: RawRequest, ...hosts: readonly string[]) =>
    exchange(port, { ...request, headers: hosts.map((host) => ['Host', host] as const) });
  return {
    reported,
    send,
    /** Where a page sends those who ask for it; the status where it does not. */
    locationOf: async (path: string, ...hosts: readonly string[]) => {
      const answer = await send({ path }, ...hosts);
      return answer.header('Location') ?? answer.status;
    },
    /** Returns the address that a rejected call is referred to. */
    placeOf: async (...hosts: readonly string[]) =>
      /Send calls to (.*)\n$/.exec((await send({ path: OPERATION }, ...hosts)).text)?.[1],
  };
}

describe('a port without TLS', () => {
  const plain = usePlainPort();

  it.each(['/', ASMX, `${ASMX}?wsdl`, `${ASMX}?op=GetStudentsNoteType`, ASMX.toUpperCase()])(
    'redirects requests for the page %s',
    async (path) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await plain.send({ method, path }, 'school.example:8080');
        expect(answer.status).toBe(301);
        expect(answer.header('Location')).toBe(`https://school.example:8443${path}`);
        expect(answer.header('Cache-Control')).toBe('no-store');
        expect(answer.header('X-Content-Type-Options')).toBe('nosniff');
        expect(answer.text).toBe(method === 'GET' ? 'The service speaks TLS.\n' : '');
      }
    },
  );

  it("answers a load balancer's OPTIONS request", async () => {
    const answer = await plain.send({ method: 'OPTIONS', path: '/' });
    expect([answer.status, answer.header('Allow')]).toEqual([200, 'GET, HEAD, OPTIONS']);
  });

  it.each([
    ['GET', `${OPERATION}?id=s3cret`, OPERATION],
    ['POST', OPERATION, OPERATION],
    ['POST', ASMX, ASMX],
    ['PUT', '/', '/'],
    ['GET', `${ASMX}/`, `${ASMX}/`],
  ])('rejects calls, which could be intercepted: %s %s', async (method, path, shown) => {
    const answer = await plain.send({ method, path }, 'school.example');
    expect([answer.status, answer.header('Content-Type'), answer.header('Cache-Control')]).toEqual([
      403,
      'text/plain; charset=utf-8',
      'private',
    ]);
    expect(answer.text).toBe(
      'This port accepts no calls, because it is not encrypted. Nothing was done. ' +
        `Send calls to https://school.example:8443${shown}\n`,
    );
    expect(plain.reported).toMatchObject([{ refusal: 'no-tls', status: 403 }]);
  });

  it('reports the requested endpoint, and does not count pages as rejected calls', async () => {
    await plain.send({ path: ASMX }, 'a');
    await plain.send({ path: '/' }, 'a');
    expect(plain.reported).toMatchObject([
      { endpoint: 'GetNoteType', refusal: undefined },
      { endpoint: undefined, refusal: undefined },
    ]);
  });

  it('passes on other paths, and rejects what looks like an attack', async () => {
    expect(await plain.locationOf('/metrics', 'a')).toBe(404);
    expect(plain.reported).toEqual([]);
    const answer = await plain.send({ path: `${ASMX}/%3Cx` }, 'a');
    expect([answer.status, answer.header('Location')]).toEqual([500, undefined]);
    expect(plain.reported).toMatchObject([{ endpoint: undefined, status: 500 }]);
  });

  it.each([
    ['127.0.0.1:80', 'https://127.0.0.1:8443/'],
    ['[::1]:80', 'https://[::1]:8443/'],
    ['A-b_c.example', 'https://A-b_c.example:8443/'],
    ['a"b', 400],
    ['evil.test/', 400],
    ['/evil.test', 400],
    ['evil.test@b', 400],
    ['[x]', 400],
    ['[::1]x', 400],
    ['', 400],
  ])('redirects to the requested host %j if it is valid', async (host, location) => {
    expect(await plain.locationOf('/', host)).toBe(location);
    const place = typeof location === 'string' ? `${location.slice(0, -1)}${OPERATION}` : undefined;
    expect(await plain.placeOf(host)).toBe(place ?? 'the port that speaks TLS');
  });

  it('does not redirect a request that names two hosts', async () => {
    expect(await plain.locationOf('/', 'a.example', 'b.example')).toBe(400);
  });
});

describe('a port without TLS beside port 443', () => {
  const plain = usePlainPort({}, 443);

  it('leaves out the port in redirects', async () => {
    expect(await plain.locationOf('/', 'school.example:80')).toBe('https://school.example/');
  });
});

describe('a port without TLS of a service with a public address', () => {
  const secure = usePlainPort({ publicAddress: 'HTTPS://school.example/notify' });
  const insecure = usePlainPort({ publicAddress: 'http://school.example/?https:' });

  it('redirects to that address, whatever host is requested', async () => {
    expect(await secure.locationOf(ASMX, 'evil.test')).toBe(`HTTPS://school.example/notify${ASMX}`);
    expect(await secure.placeOf('a"b')).toBe(`HTTPS://school.example/notify${OPERATION}`);
  });

  it('does not use that address if it is not HTTPS', async () => {
    expect(await insecure.locationOf('/', 'a')).toBe('https://a:8443/');
  });
});

describe('a port without TLS with allowed hosts', () => {
  const plain = usePlainPort({ allowedHosts: ['school.example'] });

  it('redirects only to those hosts', async () => {
    expect(await plain.locationOf('/', 'school.example')).toBe('https://school.example:8443/');
    expect(await plain.locationOf('/', 'evil.test')).toBe(400);
    expect(await plain.placeOf('evil.test')).toBe('the port that speaks TLS');
  });
});
