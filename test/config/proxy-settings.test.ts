import { EnvHttpProxyAgent } from 'undici';

import { loadConfig, proxyFor, proxyOptions, readSettings, SettingError } from '../../src/config';
import { FakeProxy } from '../harness/fake-proxy';

const PROXY = 'http://proxy.example:3128';

describe.each(['HTTP_PROXY', 'HTTPS_PROXY'] as const)('%s', (name) => {
  it.each([
    [PROXY, PROXY],
    ['https://proxy.example', 'https://proxy.example'],
    ['proxy.example:3128', PROXY],
    ['10.0.0.1', 'http://10.0.0.1'],
    ['pupil:p%40ss@proxy.example:3128', 'http://pupil:p%40ss@proxy.example:3128'],
    ['http://[fd00::1]:3128/', 'http://[fd00::1]:3128/'],
  ])('accepts %s', (text, value) => {
    expect(loadConfig({ [name]: text })[name]).toBe(value);
  });

  it.each([
    'socks5://hunter2@proxy.example',
    'ftp://hunter2@proxy.example',
    'http://',
    'http://hunter2@proxy.example/path',
    'http://hunter2@proxy.example?x=1',
    'http://hunter2@proxy.example:99999',
    'http://u:hunter2%@proxy.example',
    'hunter2 proxy',
  ])('refuses %s without showing it', (text) => {
    const load = (): unknown => loadConfig({ [name]: text });
    expect(load).toThrow(SettingError);
    expect(load).toThrow(/Expected: .*URL of an HTTP proxy such as http:\/\/proxy\.example:3128/);
    expect(load).not.toThrow(/hunter2/);
  });

  it.each([
    ['http://pupil:hunter2@proxy.example:3128', 'http://proxy.example:3128/***'],
    ['pupil:hunter2@proxy.example:3128', 'http://proxy.example:3128/***'],
    ['http://hunter2@proxy.example', 'http://proxy.example/***'],
    ['://hunter2', '***'],
  ])('shows no credentials from %s', (text, shown) => {
    const { effective } = readSettings({ [name]: text }, '/nonexistent');
    expect(effective.find((setting) => setting.name === name)?.shown).toBe(shown);
  });
});

it.each([
  [
    { http_proxy: 'a', HTTP_PROXY: 'b' },
    { httpProxy: 'http://a', httpsProxy: '' },
  ],
  [
    { http_proxy: '', HTTP_PROXY: 'b' },
    { httpProxy: '', httpsProxy: '' },
  ],
  [
    { https_proxy: 'a', HTTPS_PROXY: 'b', HTTP_PROXY: 'c' },
    { httpProxy: 'http://c', httpsProxy: 'http://a' },
  ],
  [{ no_proxy: 'a.example', NO_PROXY: 'b.example' }, { noProxy: 'a.example,localhost,127.0.0.1,[::1]' }],
  [{ NO_PROXY: 'a.example, *' }, { noProxy: '*' }],
  [{}, { httpProxy: '', httpsProxy: '', noProxy: 'localhost,127.0.0.1,[::1]', proxyTunnel: false }],
])('%j results in %j', (environment, options) => {
  expect(proxyOptions(loadConfig(environment))).toMatchObject(options);
});

describe('the proxy for a URL', () => {
  let proxy: FakeProxy;
  beforeAll(async () => {
    proxy = await new FakeProxy({}).start();
  });
  afterAll(() => proxy.stop());

  const URLS = [
    'http://gateway.test/x',
    'https://gateway.test/x',
    'http://sub.gateway.test:8080/x',
    'https://notgateway.test',
    'http://192.0.2.7:4318',
    'http://[2001:db8::1]/',
  ];
  const LISTS = [
    '',
    'gateway.test',
    '.gateway.test',
    '*.gateway.test',
    'GATEWAY.TEST:443',
    'gateway.test:80',
    'gateway.test:8080 192.0.2.7',
    '[2001:db8::1],test',
    '*',
  ];
  const cases = LISTS.flatMap((list) => URLS.map((url) => [list, url] as const));

  it.each(cases)('is the same as in undici: NO_PROXY=%s, %s', async (NO_PROXY, url) => {
    const options = proxyOptions(loadConfig({ HTTP_PROXY: proxy.url(), NO_PROXY }));
    const before = proxy.passages.length;
    const agent = new EnvHttpProxyAgent({
      ...options,
      // What goes to no proxy goes nowhere.
      connect: (_options, callback) => {
        callback(new Error('direct'), null);
      },
    });
    await agent.request({ origin: new URL(url).origin, path: '/', method: 'GET' }).catch(() => undefined);
    await agent.destroy();
    const isProxied = proxy.passages.length > before;
    expect(proxyFor(url, options)).toBe(isProxied ? proxy.url() : undefined);
  });

  it('is HTTPS_PROXY for TLS, or HTTP_PROXY if that is not set', () => {
    const of = (environment: Readonly<Record<string, string>>) => {
      const options = proxyOptions(loadConfig(environment));
      return ['http://a.test', 'https://a.test'].map((url) => proxyFor(url, options));
    };
    expect(of({ HTTP_PROXY: 'p', HTTPS_PROXY: 'q' })).toEqual(['http://p', 'http://q']);
    expect(of({ HTTP_PROXY: 'p' })).toEqual(['http://p', 'http://p']);
    expect(of({ HTTPS_PROXY: 'q' })).toEqual([undefined, 'http://q']);
    expect(of({})).toEqual([undefined, undefined]);
  });
});
