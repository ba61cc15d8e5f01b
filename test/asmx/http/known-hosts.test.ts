// Beyond the wire contract: the host names that an attacker cannot give a server, and who its client is.

import express, { type Request } from 'express';
import request from 'supertest';

import { clientAddress, KnownHosts } from '../../../src/asmx/internal';

type Headers = Readonly<Record<string, string>>;

/** Returns true if a server of these hosts is asked under one of them. */
async function isKnown(hosts: KnownHosts, headers: Headers, trustProxy: boolean | string = false) {
  const app = express().set('trust proxy', trustProxy);
  app.get('/', (asked, response) => {
    response.json(hosts.has(asked));
  });
  return (await request(app).get('/').set(headers)).body as unknown;
}

describe('a server is recognized', () => {
  const hosts = new KnownHosts(['intern.example', '*.school.example'], 'https://Public.example:8443/soap');

  it.each([
    '127.0.0.1',
    '192.0.2.1:8080',
    '[::1]',
    '[2001:db8::1]:8080',
    'localhost:9090',
    'metrics.localhost',
    'intern.example',
    'a.school.example:8080',
    'public.example',
  ])('under %s', async (host) => {
    expect(await isKnown(hosts, { host })).toBe(true);
  });

  it.each(['evil.test', 'localhost.evil.test', '127.0.0.1.evil.test', 'school.example', '[x]', ''])(
    'not under %s',
    async (host) => {
      expect(await isKnown(hosts, { host })).toBe(false);
    },
  );

  it('without a host, which every browser sends', () => {
    // Nothing else is read.
    const old: unknown = { headers: {} };
    expect(hosts.has(old as Request)).toBe(true);
  });

  it('by the headers of a trusted proxy only', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'anything.example' };
    expect(await isKnown(hosts, headers, 'loopback')).toBe(true);
    expect(await isKnown(hosts, headers)).toBe(false);
    expect(await isKnown(hosts, { host: 'evil.test', 'x-forwarded-for': '192.0.2.1' }, 'loopback')).toBe(
      false,
    );
  });

  it('by its addresses and localhost if it has no public address or names', async () => {
    const none = new KnownHosts([], undefined);
    expect(await isKnown(none, { host: 'localhost' })).toBe(true);
    expect(await isKnown(none, { host: 'public.example' })).toBe(false);
  });
});

describe('the client of a request', () => {
  /** Its address, or null where it is hidden. */
  async function clientOf(headers: Headers, trustProxy: boolean | string = 'loopback') {
    const app = express().set('trust proxy', trustProxy);
    app.get('/', (asked, response) => {
      response.json(clientAddress(asked) ?? null);
    });
    return (await request(app).get('/').set(headers)).body as unknown;
  }

  it('is the connected address, unless a trusted proxy names the sender', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    expect(await clientOf(headers, false)).toBe('127.0.0.1');
    expect(await clientOf(headers)).toBe('192.0.2.1');
    expect(await clientOf({ forwarded: 'for="[2001:db8::1]:4711"' })).toBe('2001:db8::1');
  });

  it('is the first sender that is not a trusted proxy; the caller may have made up the others', async () => {
    expect(await clientOf({ 'x-forwarded-for': '192.0.2.66, ::ffff:192.0.2.1, 127.0.0.1' })).toBe(
      '192.0.2.1',
    );
    expect(await clientOf({ 'x-forwarded-for': '127.0.0.2, 127.0.0.1' })).toBe('127.0.0.2');
  });

  it.each([
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::7]:51234', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['"[2001:db8::7]:51234"', '2001:db8::7'],
    ['[::ffff:203.0.113.7]:51234', '203.0.113.7'],
    ['198.51.100.1:1, 203.0.113.7:2, 127.0.0.1:3', '203.0.113.7'],
  ])('is read from every spelling of X-Forwarded-For: %s', async (header, address) => {
    expect(await clientOf({ 'x-forwarded-for': header })).toBe(address);
  });

  it.each([{ forwarded: 'for=_hidden' }, { forwarded: 'for=unknown' }, { 'x-forwarded-proto': 'https' }])(
    'is unknown if the proxy hides it: %j',
    async (headers: Headers) => {
      expect(await clientOf(headers)).toBeNull();
    },
  );
});
