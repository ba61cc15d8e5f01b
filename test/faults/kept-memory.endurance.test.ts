// What outlives a request must not keep it: a part of a text keeps the whole of it in memory.

import { join } from 'node:path';

import {
  call,
  envelope,
  exchange,
  form,
  type RawRequest,
  soap11,
  soap12,
  SOAP_11,
  SOAP_12,
  withHeaders,
  writeSchool,
} from '../../scripts/harness';
import { openStore } from '../../src/store';
import { keptBytes, MEGABYTE } from '../harness/kept-memory';
import { databaseIn } from '../service/stored-messages';
import { useServicesHere } from '../service/use-services-here';

/** Number of requests of each kind; together they are larger than what may be kept of them. */
const REQUESTS = 4;
const BODY_BYTES = 4 * MEGABYTE;
const MAX_KEPT = 10 * MEGABYTE;
/** Number of requests of all kinds, and what may be kept of all. */
const ALL_REQUESTS = 120;
const MAX_KEPT_OF_ALL = 30 * MEGABYTE;

/** Makes a text of more than a dozen characters: V8 copies shorter parts. */
const unlike = (what: string, at: number): string => `${what}-${String(at).padStart(16, '0')}`;
const schoolOf = (binding: string, at: number): string => `http://${unlike(binding, at)}.example`;
const listCall = (school: string): string =>
  call('GetStudentSchool', { school_base_url: school, show_active: 'Y' });
const tokenCall = (id: string): string => call('GetTokenDevice', { id });

const BINDINGS = ['soap11', 'soap12', 'post'] as const;
const padding = (used: string): string => 'x'.repeat(BODY_BYTES - 2000 - used.length);
/** Makes a request of four megabytes: most of it is what no operation reads. */
const LONG: Readonly<
  Record<
    (typeof BINDINGS)[number],
    (endpoint: string, operation: string, body: string, fields: string) => RawRequest
  >
> = {
  soap11: (endpoint, operation, body) =>
    soap11(endpoint, operation, envelope(SOAP_11, body, `<pad>${padding(body)}</pad>`)),
  soap12: (endpoint, _operation, body) =>
    soap12(endpoint, envelope(SOAP_12, body, `<pad>${padding(body)}</pad>`)),
  post: (endpoint, operation, _body, fields) => form(endpoint, operation, `${fields}&pad=${padding(fields)}`),
};

const IDS = BINDINGS.map((binding): [string, (at: number) => RawRequest] => [
  `ids of devices over ${binding}`,
  (at) => {
    const id = unlike(binding, at);
    return LONG[binding]('PushNotificationMobile', 'GetTokenDevice', tokenCall(id), `id=${id}`);
  },
]);
const SCHOOLS = BINDINGS.map((binding): [string, (at: number) => RawRequest] => [
  `addresses of schools over ${binding}`,
  (at) => {
    const school = schoolOf(binding, at);
    const fields = `school_base_url=${school}&show_active=Y`;
    return LONG[binding]('NotificationNotes', 'GetStudentSchool', listCall(school), fields);
  },
]);

/** Requests with other values in each place that a caller fills, of which the service may remember something. */
const PLACES: readonly ((at: number) => RawRequest)[] = [
  ...[...IDS, ...SCHOOLS].map(([, make]) => make),
  (at) => {
    const prefixes = Array.from({ length: 40 }, (_, index) => unlike(`p${String(index)}`, at));
    const body = prefixes.map(
      (prefix) => `<${prefix}:a xmlns:${prefix}="urn:${prefix}" ${prefix}:b="${prefix}"/>`,
    );
    return LONG.soap11('PushNotificationMobile', 'GetTokenDevice', body.join(''), '');
  },
  (at) =>
    LONG.soap12('NotificationNotes', '', call(unlike('operation', at), { [unlike('name', at)]: '' }), ''),
  (at) =>
    LONG.post(
      'AuthCodeSending',
      'AuthCode',
      '',
      `code=${unlike('code', at)}&phone=%2B90532${String(1_000_000 + at)}`,
    ),
  (at) => {
    const places = `id=${unlike('note', at)}&id_class=${unlike('class', at)}&baseUrlSchool=${schoolOf('post', at)}`;
    return LONG.post('NotificationNotes', 'SendMarkNotes', '', places);
  },
  (at) => LONG.post('NotificationNotes', unlike('operation', at), '', unlike('field', at)),
  (at) => LONG.post(unlike('endpoint', at), 'GetTokenDevice', '', `${unlike('field', at)}=1`),
];

/** Adds what a proxy and a client tell in headers. */
function withOwnHeaders(request: RawRequest, at: number): RawRequest {
  const trace = String(at).padStart(32, '1');
  return withHeaders(
    request,
    ['User-Agent', unlike('agent', at)],
    ['X-Forwarded-For', `2001:db8:1111:2222:3333:4444:5555:${at.toString(16)}`],
    ['X-Forwarded-Host', unlike('host', at)],
    ['traceparent', `00-${trace}-${trace.slice(16)}-01`],
    ['tracestate', `vendor=${unlike('state', at)}`],
    ['X-Request-Id', unlike('request', at)],
    [
      'Authorization',
      `Basic ${Buffer.from(`${unlike('user', at)}:${unlike('password', at)}`).toString('base64')}`,
    ],
    ['Cookie', `session=${unlike('session', at)}`],
    ['Accept-Language', unlike('language', at)],
    [unlike('X-Header', at), unlike('value', at)],
  );
}

describe('a service to which strangers send long requests', () => {
  const services = useServicesHere();
  let port: number;

  beforeAll(async () => {
    const data = join(services.folder, 'data');
    const store = await openStore({ url: databaseIn(data) });
    const all = BINDINGS.flatMap((binding) =>
      Array.from(
        { length: ALL_REQUESTS + 1 },
        (_, at) => [schoolOf(binding, at), unlike(binding, at)] as const,
      ),
    );
    await store.importFolder(
      writeSchool(join(services.folder, 'csv'), {
        schools: all.map(([school]) => `${school},School`),
        classes: all.map(([school]) => `${school},1A,1A`),
        students: all.map(([school]) => `${school},S1,Ada,Y,1A`),
        devices: all.map(([school, id]) => `${id},${school},S1,token of ${id},android,`),
      }),
    );
    await store.close();
    const settings = { DATA_DIR: data, TRUST_PROXY: 'loopback', DEFAULT_COUNTRY: 'TR' };
    ({ port } = await services.start({ settings }));
  });

  it.each([
    ...IDS,
    ...SCHOOLS,
    [
      'prefixes',
      (at: number) => {
        const prefix = unlike('prefix', at);
        const body = `<${prefix}:a xmlns:${prefix}="urn:${prefix}" ${prefix}:b=""/>`;
        return LONG.soap11('PushNotificationMobile', 'GetTokenDevice', body, '');
      },
    ],
    [
      'attributes',
      (at: number) => {
        // One fewer in each: the last one of each request would stay.
        const names = Array.from({ length: REQUESTS - at + 1 }, (_, index) =>
          unlike(`a${String(index)}`, at),
        );
        const body = `<a ${names.map((name) => `${name}="${name}"`).join(' ')}/>`;
        return LONG.soap12('PushNotificationMobile', '', body, '');
      },
    ],
  ] as const)('keeps none of them for their %s', async (_what, make) => {
    expect(await keptBytes(REQUESTS, (at) => exchange(port, make(at)))).toBeLessThan(MAX_KEPT);
  });

  it('keeps little of many that differ in each place', async () => {
    const kept = await keptBytes(ALL_REQUESTS, async (at) => {
      // The first turn sends one of each kind.
      const kinds = at === 0 ? PLACES : [PLACES[at % PLACES.length]];
      for (const make of kinds) if (make) await exchange(port, withOwnHeaders(make(at), at));
    });
    expect(kept).toBeLessThan(MAX_KEPT_OF_ALL);
  });

  it('has answered them', async () => {
    const [token, list] = [IDS, SCHOOLS].map((places) => places[0]?.[1](1));
    expect((await exchange(port, token ?? { path: '' })).text).toContain(`token of ${unlike('soap11', 1)}`);
    expect((await exchange(port, list ?? { path: '' })).text).toContain('Ada');
  });
});
