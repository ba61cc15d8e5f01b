// The wire contract, section 7: the address that the documents name.

import type { Request } from 'express';

import type { RawRequest, RawResponse } from '../../../scripts/harness';
import { parsePublicAddress, splitAuthority } from '../../../src/asmx/http/public-address';
import { namesTwoHosts } from '../../../src/asmx/http/known-hosts';
import { textOf } from '../documents/read-page';
import { type UsedServer, useReference } from '../../harness/use-server';

const ASMX = '/GetNoteType.asmx';

type Headers = NonNullable<RawRequest['headers']>;

/** Where the description, the discovery document and the pages say that the endpoint is: all the same. */
async function addressIn(server: UsedServer, headers: Headers): Promise<string | undefined> {
  const read = async (query: string): Promise<RawResponse> => {
    const response = await server.send({ path: ASMX + query, headers });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response;
  };
  const wsdl = /<soap:address location="([^"]*)"/.exec((await read('?wsdl')).text)?.[1];
  expect(/docRef="([^"]*)"/.exec((await read('?disco')).text)?.[1]).toBe(wsdl);
  expect(textOf(await read(''), 'address')).toBe(wsdl);
  return wsdl;
}

const HOST = ['Host', 'inner.test:8080'] as const;

describe.each([
  ['Front-End-Https', 'on', 'off'],
  ['X-Forwarded-Ssl', 'on', 'off'],
  ['X-Forwarded-Scheme', 'https', 'http'],
  ['CloudFront-Forwarded-Proto', 'HTTPS', 'http'],
] as const)('behind a trusted proxy that sets %s, published addresses', (name, secure, plain) => {
  const header = name.toLowerCase() as Lowercase<typeof name>;
  const service = useReference({ trustProxy: ['127.0.0.1'], forwardedHeaders: [header, 'x-original-host'] });

  it.each<[string, Headers, string]>([
    ['follow it', [[name, secure]], 'https://inner.test:8080'],
    [
      'follow its last value, which the proxy added',
      [
        [name, plain],
        [name, secure],
      ],
      'https://inner.test:8080',
    ],
    [
      'ignore other headers of the caller',
      [
        [name, plain],
        ['X-Forwarded-Proto', 'https'],
        ['X-Forwarded-Host', 'stranger.test'],
      ],
      'http://inner.test:8080',
    ],
    ['ignore any other value', [[name, 'yes']], 'http://inner.test:8080'],
    [
      'follow the host',
      [
        [name, secure],
        ['X-Original-Host', 'school.example'],
      ],
      'https://school.example',
    ],
  ])('%s', async (_what, headers, address) => {
    expect(await addressIn(service, [HOST, ...headers])).toBe(address + ASMX);
  });
});

describe('behind one trusted proxy, published addresses follow', () => {
  const service = useReference({ trustProxy: ['127.0.0.1'] });

  it.each<[string, Headers, string]>([
    ['the Host header if nothing is forwarded', [], 'http://inner.test:8080'],
    ['X-Forwarded-Proto', [['X-Forwarded-Proto', 'https']], 'https://inner.test:8080'],
    ['X-Forwarded-Host', [['X-Forwarded-Host', 'school.example']], 'http://school.example'],
    [
      'a port in X-Forwarded-Host',
      [['X-Forwarded-Host', 'school.example:8443']],
      'http://school.example:8443',
    ],
    [
      'X-Forwarded-Prefix of several parts',
      [['X-Forwarded-Prefix', '/a/b.c']],
      'http://inner.test:8080/a/b.c',
    ],
    [
      'X-Forwarded-Port if X-Forwarded-Host has none',
      [
        ['X-Forwarded-Host', 'school.example'],
        ['X-Forwarded-Port', '8080'],
      ],
      'http://school.example:8080',
    ],
    [
      'X-Forwarded-Proto of http, without its default port',
      [
        ['X-Forwarded-Proto', 'HTTP'],
        ['X-Forwarded-Port', '80'],
      ],
      'http://inner.test',
    ],
    ['X-Forwarded-Port over the port of Host', [['X-Forwarded-Port', '9000']], 'http://inner.test:9000'],
    [
      'the port of X-Forwarded-Host over X-Forwarded-Port',
      [
        ['X-Forwarded-Host', 'school.example:8443'],
        ['X-Forwarded-Port', '8080'],
      ],
      'http://school.example:8443',
    ],
    [
      'all of them, without a default port',
      [
        ['X-Forwarded-Proto', 'https'],
        ['X-Forwarded-Host', 'school.example'],
        ['X-Forwarded-Port', '443'],
        ['X-Forwarded-Prefix', '/notify/'],
      ],
      'https://school.example/notify',
    ],
    ['Forwarded', [['Forwarded', 'for=192.0.2.1;proto=https;host=school.example']], 'https://school.example'],
    [
      'Forwarded in quotes',
      [['Forwarded', 'Host="school.example:8443";Proto=HTTPS']],
      'https://school.example:8443',
    ],
    [
      'the X-Forwarded headers if both kinds are present',
      [
        ['X-Forwarded-Host', 'school.example'],
        ['Forwarded', 'host=evil.test;proto=https'],
      ],
      'http://school.example',
    ],
    [
      'the last value of a list: the caller wrote the others',
      [['X-Forwarded-Host', 'evil.test, school.example']],
      'http://school.example',
    ],
    [
      'the last element of Forwarded',
      [['Forwarded', 'host=evil.test, host=school.example']],
      'http://school.example',
    ],
  ])('%s', async (_what, headers, origin) => {
    expect(await addressIn(service, [HOST, ...headers])).toBe(origin + ASMX);
  });

  it.each<[string, string]>([
    ['X-Forwarded-Proto', 'gopher'],
    ['X-Forwarded-Hostname', 'school.example'],
    ['X-Forwarded-Port', '80; x'],
    ['X-Forwarded-Port', '123456'],
    ['X-Forwarded-Prefix', 'notify'],
    ['X-Forwarded-Prefix', '//evil.test'],
    ['X-Forwarded-Prefix', '/a"><b>'],
    ['X-Forwarded-Host', ''],
    ['Forwarded', 'nonsense'],
    ['Forwarded', '"unclosed'],
  ])('nothing invalid: %s: %s', async (name, value) => {
    expect(await addressIn(service, [HOST, [name, value]])).toBe(`http://inner.test:8080${ASMX}`);
  });

  it('odd values in escaped form', async () => {
    const { text } = await service.send({
      path: `${ASMX}?wsdl`,
      headers: [['X-Forwarded-Host', '"><script>']],
    });
    expect(text).not.toContain('<script>');
    expect(text).toContain('http://&quot;&gt;&lt;script&gt;/GetNoteType.asmx');
  });
});

/**
 * Headers of a request over TLS behind Application Request Routing 3, whose page Proxy (dd443526 at Microsoft) describes
 * X-ARR-LOG-ID, and X-Forwarded-For with or without the port; URL Rewrite adds X-Original-URL, and servers behind it
 * see X-ARR-SSL with the certificate.
 */
const ARR: Headers = [
  ['X-Original-URL', '/elsewhere/GetNoteType.asmx?wsdl'],
  ['X-ARR-LOG-ID', '0f2c7a1e-7a0d-4a55-9d0c-5b1ae4f4a7b2'],
  ['X-ARR-SSL', '2048|256|C=TR, O=Example CA, CN=Example CA|CN=school.example'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Host', 'school.example'],
];

describe('behind IIS with Application Request Routing', () => {
  const byAddress = useReference({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] });

  it.each([
    '192.0.2.1',
    '192.0.2.1:51234',
    '[2001:db8::1]:51234',
    '2001:db8::1',
    '192.0.2.1:51234, 10.1.2.3:40000',
  ])('names the address that IIS publishes, with X-Forwarded-For: %s', async (sender) => {
    expect(await addressIn(byAddress, [HOST, ...ARR, ['X-Forwarded-For', sender]])).toBe(
      `https://school.example${ASMX}`,
    );
  });
});

describe('behind two trusted proxies', () => {
  const byCount = useReference({ trustProxy: 2 });
  const byAddress = useReference({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] });
  const headers: Headers = [
    HOST,
    ['X-Forwarded-For', '192.0.2.66, 192.0.2.1, 10.1.2.3'],
    ['X-Forwarded-Host', 'evil.test, school.example, middle.test'],
  ];

  it('the value added by the outer one counts', async () => {
    expect(await addressIn(byCount, headers)).toBe(`http://school.example${ASMX}`);
    expect(await addressIn(byAddress, headers)).toBe(`http://school.example${ASMX}`);
  });

  it('the same applies to Forwarded', async () => {
    const elements =
      'for=192.0.2.66;host=evil.test, for=192.0.2.1;host=school.example, for="10.1.2.3:99";host=middle.test';
    expect(await addressIn(byAddress, [HOST, ['Forwarded', elements]])).toBe(`http://school.example${ASMX}`);
  });
});

describe('a sender that is not a trusted proxy', () => {
  const service = useReference({
    trustProxy: ['192.0.2.99'],
    forwardedHeaders: ['front-end-https', 'x-original-host'],
  });

  it('is not trusted', async () => {
    const headers: Headers = [
      HOST,
      ['X-Forwarded-Host', 'evil.test'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Port', '444'],
      ['X-Forwarded-Prefix', '/evil'],
      ['Front-End-Https', 'on'],
      ['X-Original-Host', 'evil.test'],
    ];
    expect(await addressIn(service, headers)).toBe(`http://inner.test:8080${ASMX}`);
  });
});

describe('a configured public address', () => {
  const service = useReference({ trustProxy: 1, publicAddress: 'https://school.example/notify' });

  it('takes precedence over every header', async () => {
    const headers: Headers = [HOST, ['X-Forwarded-Host', 'other.test'], ['X-Forwarded-Prefix', '/other']];
    expect(await addressIn(service, headers)).toBe(`https://school.example/notify${ASMX}`);
  });

  it('appears in the samples', async () => {
    const { text } = await service.send({ path: `${ASMX}?op=GetStudentsNoteType` });
    expect(text).toContain('POST /notify/GetNoteType.asmx HTTP/1.1\nHost: school.example\n');
  });
});

it.each([
  ['https://school.example', { protocol: 'https', authority: 'school.example', prefix: '' }],
  ['https://School.example:443/', { protocol: 'https', authority: 'school.example', prefix: '' }],
  ['http://school.example:8080/a/b', { protocol: 'http', authority: 'school.example:8080', prefix: '/a/b' }],
  ['https://[::1]:8443/a///', { protocol: 'https', authority: '[::1]:8443', prefix: '/a' }],
])('the configured address %s is parsed', (text, address) => {
  expect(parsePublicAddress(text)).toEqual(address);
});

it.each([
  ['school.example', 'school.example', ''],
  ['school.example:8080', 'school.example', '8080'],
  ['school.example:', 'school.example', ''],
  ['[::1]', '[::1]', ''],
  ['[::1]:8080', '[::1]', '8080'],
  ['a:b:80', 'a:b', '80'],
  ['a:b', 'a:b', ''],
  ['', '', ''],
])('the authority %j is %j and the port %j', (authority, name, port) => {
  expect(splitAuthority(authority)).toEqual([name, port]);
});

it.each([
  [[], false],
  [['Host', 'a'], false],
  [['Host', 'Host'], false],
  [['Host', 'a', 'X-Host', 'b', 'From', 'host'], false],
  [['Host', 'a', 'hOST', 'a'], true],
  [['Accept', '*', 'host', 'a', 'Date', 'x', 'host', 'b', 'host', 'c'], true],
])('the headers %j name two hosts: %s', (rawHeaders, doThey) => {
  expect(namesTwoHosts({ rawHeaders } as unknown as Request)).toBe(doThey);
});
