// Beyond the wire contract: pages of other sites, in a browser inside the network.

import { fault11, seen } from '../../harness/asmx-answers';
import { useReference } from '../../harness/use-server';
import { form, get, type RawRequest, type RawResponse, token11, withHeaders } from '../../../scripts/harness';

type Headers = NonNullable<RawRequest['headers']>;

const CALLS: readonly (readonly [string, RawRequest])[] = [
  ['GET', get('PushNotificationMobile', 'GetTokenDevice', 'id=7')],
  ['POST', form('PushNotificationMobile', 'GetTokenDevice', 'id=7')],
  ['SOAP', token11('7')],
];

describe.each(CALLS)('a call by %s', (_binding, request) => {
  const service = useReference();
  const status = async (...headers: Headers): Promise<number> =>
    (await service.send(withHeaders(request, ...headers))).status;

  it('is accepted if no browser states which page it comes from', async () => {
    expect(await status()).toBe(200);
    expect(await status(['Referer', 'https://evil.test/'])).toBe(200);
  });

  it.each(['same-origin', 'none'])('is accepted for Sec-Fetch-Site: %s', async (site) => {
    expect(await status(['Sec-Fetch-Site', site])).toBe(200);
    // What the browser says of the site counts: a proxy may have another name than the server.
    expect(await status(['Sec-Fetch-Site', site], ['Origin', 'https://public.example'])).toBe(200);
  });

  it.each(['cross-site', 'same-site', 'something'])('is rejected for Sec-Fetch-Site: %s', async (site) => {
    expect(await status(['Sec-Fetch-Site', site])).toBe(403);
    expect(await status(['Sec-Fetch-Site', site], ['Origin', `http://${service.host}`])).toBe(403);
  });

  it('is checked by Origin if an older browser sends nothing else', async () => {
    expect(await status(['Origin', `http://${service.host}`])).toBe(200);
    expect(await status(['Origin', `https://${service.host}`])).toBe(200);
    expect(await status(['Host', 'school.example'], ['Origin', 'https://school.example'])).toBe(200);
    for (const origin of ['http://evil.test', 'null', `http://${service.host}.evil.test`, 'x', ''])
      expect(await status(['Origin', origin])).toBe(403);
  });
});

describe('the rejection of a call from a page of another site', () => {
  const service = useReference();

  it('is a page, or a caller fault', async () => {
    const site = [['Sec-Fetch-Site', 'cross-site']] as const;
    const page = await service.send(
      withHeaders(get('PushNotificationMobile', 'GetTokenDevice', 'id=7'), ...site),
    );
    expect(page.header('Content-Type')).toBe('text/html; charset=utf-8');
    expect(seen(await service.send(withHeaders(token11('7'), ...site)))).toEqual({
      ...fault11('Client', 'A page of another site may not call this operation.'),
      status: 403,
    });
  });

  it('applies only to operations', async () => {
    const headers = [['Sec-Fetch-Site', 'cross-site']] as const;
    for (const path of ['/', '/PushNotificationMobile.asmx', '/PushNotificationMobile.asmx?WSDL'])
      expect((await service.send({ path, headers })).status).toBe(200);
  });
});

describe('with allowed origins, a call', () => {
  const service = useReference({
    allowedOrigins: ['https://Portal.example', 'http://intern.example:8080', 'null'],
    publicAddress: 'https://public.example/soap',
  });
  const [[, request]] = CALLS as unknown as readonly [readonly [string, RawRequest]];
  const status = async (...headers: Headers): Promise<number> =>
    (await service.send(withHeaders(request, ...headers))).status;
  const crossSite = ['Sec-Fetch-Site', 'cross-site'] as const;

  it.each(['https://portal.example', 'http://intern.example:8080', 'null'])(
    'is accepted from pages of %s',
    async (origin) => {
      expect(await status(crossSite, ['Origin', origin])).toBe(200);
      expect(await status(['Origin', origin])).toBe(200);
    },
  );

  it.each(['http://portal.example', 'https://portal.example:8443', 'https://a.portal.example'])(
    'is rejected from pages of %s',
    async (origin) => {
      expect(await status(crossSite, ['Origin', origin])).toBe(403);
    },
  );

  it('is checked by Referer if there is no Origin: images, links', async () => {
    expect(await status(crossSite, ['Referer', 'https://portal.example/page?x'])).toBe(200);
    expect(await status(crossSite, ['Referer', 'https://evil.test/https://portal.example'])).toBe(403);
    expect(await status(crossSite, ['Referer', '::'])).toBe(403);
  });

  it('is accepted from pages of the public address', async () => {
    expect(await status(['Origin', 'https://public.example'])).toBe(200);
  });
});

describe('allowed origins', () => {
  const service = useReference({
    allowedOrigins: [
      'https://*.portal.example',
      'http://*.intern.example:8080',
      'HTTPS://Usual.example:443',
      'https://şehir.example',
      'capacitor://localhost',
    ],
  });
  const status = async (origin: string): Promise<number> =>
    (await service.send(withHeaders(token11('7'), ['Origin', origin]))).status;

  it.each([
    'https://a.portal.example',
    'https://a.b-1.portal.example',
    'https://A.Portal.example',
    'http://a.intern.example:8080',
    'https://usual.example',
    'https://xn--ehir-45a.example',
    'capacitor://localhost',
  ])('match as browsers write them: %s', async (origin) => {
    expect(await status(origin)).toBe(200);
  });

  it.each([
    'https://portal.example',
    'http://a.portal.example',
    'https://a.portal.example:8443',
    'https://.portal.example',
    'https://aportal.example',
    'https://a.portal.example.evil.test',
    'https://evil.test/.portal.example',
    'https://evil.test#a.portal.example',
    'https://a_b@c.portal.example',
    'https://axportal.example',
    'http://a.intern.example',
    'https://*.portal.example',
  ])('do not match lookalikes: %s', async (origin) => {
    expect(await status(origin)).toBe(403);
  });
});

const PORTAL = 'https://portal.example';
const PREFLIGHT: Headers = [
  ['Origin', PORTAL],
  ['Access-Control-Request-Method', 'POST'],
  ['Access-Control-Request-Headers', 'content-type,soapaction'],
];
const PATHS = ['/PushNotificationMobile.asmx', '/PushNotificationMobile.asmx/GetTokenDevice'];

/** Returns what an answer says to a browser of pages elsewhere. */
function crossOrigin(answer: RawResponse): readonly (string | undefined)[] {
  return ['Access-Control-Allow-Origin', 'Vary', 'Access-Control-Allow-Credentials'].map((name) =>
    answer.header(name),
  );
}

describe('a page of an allowed origin', () => {
  const service = useReference({ allowedOrigins: [PORTAL, 'https://*.other.example'] });

  it.each(CALLS)('may read the answer to a call by %s, and its rejection', async (_binding, request) => {
    // An unknown operation, or an invalid envelope.
    const broken = String(request.body).includes('Envelope')
      ? { ...request, body: '<' }
      : { ...request, path: request.path.replace('GetTokenDevice', 'Nothing') };
    for (const sent of [request, broken]) {
      const answer = await service.send(
        withHeaders(sent, ['Origin', PORTAL], ['Sec-Fetch-Site', 'cross-site']),
      );
      expect(crossOrigin(answer)).toEqual([PORTAL, 'Origin', undefined]);
    }
  });

  it('may read descriptions, which vary by encoding and origin', async () => {
    const answer = await service.send({
      path: '/PushNotificationMobile.asmx?WSDL',
      headers: [['Origin', 'https://a.other.example']],
    });
    expect(answer.header('Vary')).toBe('Accept-Encoding, Origin');
    expect(answer.header('Access-Control-Allow-Origin')).toBe('https://a.other.example');
  });

  it.each(PATHS)('gets an answer to its preflight request: %s', async (path) => {
    const answer = await service.send({ method: 'OPTIONS', path, headers: PREFLIGHT });
    expect([answer.status, answer.text, answer.header('Content-Length')]).toEqual([204, '', undefined]);
    expect(crossOrigin(answer)).toEqual([PORTAL, 'Origin', undefined]);
    expect(answer.header('Access-Control-Allow-Methods')).toBe('GET, POST');
    expect(answer.header('Access-Control-Allow-Headers')).toBe('Content-Type, SOAPAction');
    expect(Number(answer.header('Access-Control-Max-Age'))).toBeGreaterThan(0);
  });

  it('differs from other pages, and from requests without an Origin', async () => {
    for (const headers of [[['Origin', 'https://evil.test']], []] as const) {
      const answer = await service.send(withHeaders(token11('7'), ...headers));
      expect(crossOrigin(answer)).toEqual([undefined, 'Origin', undefined]);
    }
  });

  it.each([
    ['another page', PREFLIGHT.with(0, ['Origin', 'https://evil.test'])],
    ['no page', PREFLIGHT.slice(1)],
    ['a page that does not announce a call', PREFLIGHT.slice(0, 1)],
  ])('differs from others in its preflight: OPTIONS of %s gets the ASMX answer', async (_what, headers) => {
    const statuses = await Promise.all(
      PATHS.map(async (path) => {
        const answer = await service.send({ method: 'OPTIONS', path, headers });
        expect(answer.header('Access-Control-Allow-Methods')).toBeUndefined();
        return answer.status;
      }),
    );
    expect(statuses).toEqual([405, 500]);
  });
});

describe('without allowed origins', () => {
  const service = useReference();

  it('answers contain no cross-origin headers', async () => {
    const own = await service.send(withHeaders(token11('7'), ['Origin', `http://${service.host}`]));
    expect(crossOrigin(own)).toEqual([undefined, undefined, undefined]);
    const asked = await service.send({ method: 'OPTIONS', path: PATHS[0] ?? '', headers: PREFLIGHT });
    expect([asked.status, ...crossOrigin(asked)]).toEqual([405, undefined, undefined, undefined]);
  });
});

describe('with every origin allowed, a call', () => {
  const service = useReference({ allowedOrigins: ['*'] });

  it('is accepted from all pages', async () => {
    for (const [, request] of CALLS) {
      const answer = await service.send(withHeaders(request, ['Sec-Fetch-Site', 'cross-site']));
      expect(answer.status).toBe(200);
      expect(crossOrigin(answer)).toEqual(['*', undefined, undefined]);
    }
  });

  it('gets an answer to its preflight request', async () => {
    const answer = await service.send({ method: 'OPTIONS', path: PATHS[0] ?? '', headers: PREFLIGHT });
    expect([answer.status, ...crossOrigin(answer)]).toEqual([204, '*', undefined, undefined]);
  });
});
