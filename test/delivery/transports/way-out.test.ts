// How requests to providers leave, and how their answers are read: proxies, and content codings.

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

import { CLOSED_PORT } from '../../../scripts/harness';
import { loadConfig, proxyOptions, type ProxyOptions } from '../../../src/config';
import { pushFcmTransport } from '../../../src/delivery/transports/push-fcm';
import { type Behaviour, serviceAccount } from '../../../scripts/harness/delivery';
import { FakeProxy } from '../../harness/fake-proxy';
import { useProvider } from '../use-provider';
import { useGateways } from '../gateways/use-gateways';
import { PUSH, SMS } from './transport-kit';

const GATEWAY = 'http://gateway.test';
const FIREBASE = 'http://firebase.test:8000';
const BASIC = `Basic ${Buffer.from('pupil:s:ecret').toString('base64')}`;
const signal = new AbortController().signal;

type Description = Readonly<Record<string, unknown>> & { readonly proxy?: ProxyOptions };

const provider = useProvider();
let proxy: FakeProxy;
beforeEach(async () => {
  const { url } = provider();
  proxy = await new FakeProxy({ 'gateway.test:80': url, 'firebase.test:8000': url }).start();
});
afterEach(() => proxy.stop());

const open = useGateways();
const sms = ({ proxy, ...description }: Description = {}) =>
  open({ url: `${GATEWAY}/sms`, ...description }, proxy);
const push = (settings: Readonly<Record<string, string>>) =>
  pushFcmTransport({
    content: 'notification',
    account: serviceAccount(`${FIREBASE}/token`, FIREBASE),
    connections: 4,
    proxy: proxyOptions(loadConfig(settings)),
  });

describe('a proxy', () => {
  it.each([
    ['HTTP_PROXY', (url: string) => ({ HTTP_PROXY: url })],
    ['http_proxy, which comes first', (url: string) => ({ http_proxy: url, HTTP_PROXY: 'http://192.0.2.1' })],
  ])(
    'from %s forwards the requests to the gateway, to Firebase and to its token server',
    async (_name, settings) => {
      const set = settings(proxy.url('pupil:s%3Aecret'));
      const gateway = sms({ proxy: proxyOptions(loadConfig(set)) });
      expect(await gateway.send(SMS, signal)).toMatchObject({ kind: 'sent' });
      const firebase = push(set);
      expect(await firebase.send(PUSH, signal)).toMatchObject({ kind: 'sent' });
      await Promise.all([gateway.close(), firebase.close()]);
      expect(proxy.passages.map(({ target }) => target)).toEqual([
        `${GATEWAY}/sms`,
        `${FIREBASE}/token`,
        `${FIREBASE}/v1/projects/school-test/messages:send`,
      ]);
      expect(proxy.passages.map(({ authorization }) => authorization)).toEqual([BASIC, BASIC, BASIC]);
      expect(provider().received.map(({ path }) => path)).toEqual([
        '/sms',
        '/v1/projects/school-test/messages:send',
      ]);
      expect(provider().received[0]?.headers).not.toHaveProperty('proxy-authorization');
    },
  );

  it.each<readonly [string, (url: string) => Readonly<Record<string, string>>]>([
    ['its host in NO_PROXY', (url) => ({ HTTP_PROXY: url, NO_PROXY: 'a.example, 127.0.0.1' })],
    ['NO_PROXY=*', (url) => ({ HTTP_PROXY: url, NO_PROXY: '*' })],
    ['a host of this machine', (url) => ({ HTTP_PROXY: url })],
  ])('is bypassed by %s', async (_what, settings) => {
    const gateway = sms({ url: provider().url, proxy: proxyOptions(loadConfig(settings(proxy.url()))) });
    expect(await gateway.send(SMS, signal)).toMatchObject({ kind: 'sent' });
    await gateway.close();
    expect(proxy.passages).toEqual([]);
  });

  it.each([403, 407])('that answers %d to a tunnel causes a failure with that reason', async (status) => {
    proxy.refusal = status;
    const gateway = sms({
      url: 'https://gateway.test/sms',
      proxy: proxyOptions(loadConfig({ HTTPS_PROXY: proxy.url() })),
    });
    expect(await gateway.send(SMS, signal)).toEqual({
      kind: 'failing',
      reason: { code: 'proxy_refused', status },
    });
    expect(await gateway.reach(5000)).toEqual({
      isReached: false,
      what: `The connection to gateway.test:443 failed (the proxy answered ${String(status)}).`,
    });
    await gateway.close();
    expect(proxy.passages[0]).toMatchObject({ method: 'CONNECT', target: 'gateway.test:443' });
  });

  it('that requires credentials causes a failure with that reason', async () => {
    proxy.refusal = 407;
    const set = { HTTP_PROXY: proxy.url() };
    const gateway = sms({ proxy: proxyOptions(loadConfig(set)) });
    const reason = { code: 'proxy_refused', status: 407 };
    expect(await gateway.send(SMS, signal)).toEqual({ kind: 'failing', reason });
    const firebase = push(set);
    expect(await firebase.send(PUSH, signal)).toEqual({
      kind: 'failing',
      reason: { code: 'access_token_missing', cause: reason },
    });
    await Promise.all([gateway.close(), firebase.close()]);
    expect(provider().received).toEqual([]);
  });

  it('that refuses connections causes a failure', async () => {
    const HTTP_PROXY = `http://127.0.0.1:${String(CLOSED_PORT)}`;
    const gateway = sms({ proxy: proxyOptions(loadConfig({ HTTP_PROXY })) });
    expect(await gateway.send(SMS, signal)).toEqual({
      kind: 'failing',
      reason: { code: 'connection_failed', error: 'ECONNREFUSED' },
    });
    await gateway.close();
  });
});

it('checks that a provider is reachable without sending it anything', async () => {
  const gateway = sms({ url: provider().url });
  const { host } = new URL(provider().url);
  expect(await gateway.reach(5000)).toEqual({ isReached: true, what: `a connection to ${host}` });
  await gateway.close();
  expect(provider().received).toEqual([]);
});

describe('an answer of the gateway', () => {
  const answer = JSON.stringify({ status: '0', id: 'SM1', ü: 'İ' });
  const byPattern = {
    code: { pattern: '"status":"(?<code>\\d+)","id":"\\w+","ü":"İ"' },
    providerId: { pattern: '"id":"(?<id>\\w+)"' },
    answers: [{ status: 200, code: '0', class: 'accepted' }],
  };
  const sent = { kind: 'sent', providerId: 'SM1', status: 200 };
  const unreadable = {
    kind: 'unknown',
    reason: { code: 'answer_unreadable' },
    status: 200,
  };
  const coded = (coding: string, body: Uint8Array | string, status = 200): Behaviour => ({
    status,
    headers: { 'Content-Encoding': coding },
    body,
  });
  const send = async (description: Description = byPattern) => {
    const gateway = sms({ url: provider().url, ...description });
    const outcome = await gateway.send(SMS, signal);
    await gateway.close();
    return outcome;
  };

  it('is requested without compression, unless the operator sets otherwise', async () => {
    await send();
    await send({ headers: { 'accept-encoding': 'gzip' } });
    expect(provider().received.map(({ headers }) => headers['accept-encoding'])).toEqual([
      'identity',
      'gzip',
    ]);
  });

  it.each([
    ['gzip', gzipSync(answer)],
    ['x-gzip', gzipSync(answer)],
    ['GZIP', gzipSync(answer)],
    ['deflate', deflateSync(answer)],
    ['deflate', deflateRawSync(answer)],
    ['br', brotliCompressSync(answer)],
    ['gzip, br', brotliCompressSync(gzipSync(answer))],
    ['identity', answer],
  ])('is read even if it arrives as %s', async (coding, body) => {
    provider().next.push(coded(coding, body));
    expect(await send()).toEqual(sent);
  });

  it.each([
    ['in an unknown coding', coded('zstd', 'x')],
    ['in a coding named like a property of every object', coded('constructor', answer)],
    ['that is not what its header says', coded('gzip', answer)],
    ['truncated', coded('gzip', gzipSync(answer).subarray(0, 20))],
    ['that is too long once it is inflated', coded('gzip', gzipSync(`${answer}${' '.repeat(64 * 1024)}`))],
    ['that is too long as it comes', { status: 200, body: `${answer}${' '.repeat(64 * 1024)}` }],
  ])('%s leaves the outcome unknown, so that no retry sends the message twice', async (_what, behaviour) => {
    provider().next.push(behaviour);
    expect(await send()).toMatchObject(unreadable);
  });

  it('is read to its last byte within the limit', async () => {
    const body = answer.padStart(64 * 1024 - 2, ' ');
    expect(Buffer.byteLength(body)).toBe(64 * 1024);
    provider().next.push({ status: 200, body }, coded('gzip', gzipSync(body)));
    expect([await send(), await send()]).toEqual([sent, sent]);
  });

  it('yields its error code in any coding', async () => {
    provider().next.push(coded('gzip', gzipSync('{"code":21211}'), 400));
    expect(await send({})).toMatchObject({
      kind: 'refused',
      reason: { code: 'provider_rejected', status: 400, detail: '21211' },
    });
  });

  it.each([
    [408, {}, { kind: 'failing', status: 408 }],
    [408, { 'Retry-After': '7' }, { kind: 'failing', status: 408, retryAfterMs: 7000 }],
    [425, {}, { kind: 'failing', status: 425 }],
  ])('with status %d and %j causes a later retry', async (status, headers, outcome) => {
    provider().next.push({ status, headers });
    expect(await send()).toMatchObject(outcome);
  });
});
