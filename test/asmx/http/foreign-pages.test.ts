// Beyond the wire contract: pages elsewhere, whose browser stands inside the network.

import { fault11, seen } from '../../support/asmx-answers';
import { useReference } from '../../support/use-server';
import { form, get, type RawRequest, token11, withHeaders } from '../../../scripts/harness';

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

  it('is served where no browser says which page it comes from', async () => {
    expect(await status()).toBe(200);
    expect(await status(['Referer', 'https://evil.test/'])).toBe(200);
  });

  it.each(['same-origin', 'none'])('is served for Sec-Fetch-Site: %s', async (site) => {
    expect(await status(['Sec-Fetch-Site', site])).toBe(200);
    // What the browser says of the site counts: a proxy may have another name than the server.
    expect(await status(['Sec-Fetch-Site', site], ['Origin', 'https://public.example'])).toBe(200);
  });

  it.each(['cross-site', 'same-site', 'something'])('is refused for Sec-Fetch-Site: %s', async (site) => {
    expect(await status(['Sec-Fetch-Site', site])).toBe(403);
    expect(await status(['Sec-Fetch-Site', site], ['Origin', `http://${service.host}`])).toBe(403);
  });

  it('is judged by Origin where an older browser sends nothing else', async () => {
    expect(await status(['Origin', `http://${service.host}`])).toBe(200);
    expect(await status(['Origin', `https://${service.host}`])).toBe(200);
    expect(await status(['Host', 'school.example'], ['Origin', 'https://school.example'])).toBe(200);
    for (const origin of ['http://evil.test', 'null', `http://${service.host}.evil.test`, 'x', ''])
      expect(await status(['Origin', origin])).toBe(403);
  });
});

describe('the refusal', () => {
  const service = useReference();

  it('is a page, or the fault of a caller', async () => {
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

  it('is for operations alone', async () => {
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
    'is served to pages of %s',
    async (origin) => {
      expect(await status(crossSite, ['Origin', origin])).toBe(200);
      expect(await status(['Origin', origin])).toBe(200);
    },
  );

  it.each(['http://portal.example', 'https://portal.example:8443', 'https://a.portal.example'])(
    'is refused to pages of %s',
    async (origin) => {
      expect(await status(crossSite, ['Origin', origin])).toBe(403);
    },
  );

  it('goes by Referer where there is no Origin: images, links', async () => {
    expect(await status(crossSite, ['Referer', 'https://portal.example/page?x'])).toBe(200);
    expect(await status(crossSite, ['Referer', 'https://evil.test/https://portal.example'])).toBe(403);
    expect(await status(crossSite, ['Referer', '::'])).toBe(403);
  });

  it('is served to pages of the public address', async () => {
    expect(await status(['Origin', 'https://public.example'])).toBe(200);
  });
});

describe('with every origin allowed, a call', () => {
  const service = useReference({ allowedOrigins: ['*'] });

  it('is served to all pages', async () => {
    for (const [, request] of CALLS) {
      const answer = await service.send(withHeaders(request, ['Sec-Fetch-Site', 'cross-site']));
      expect(answer.status).toBe(200);
    }
  });
});
