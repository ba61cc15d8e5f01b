// The wire contract, section 3.4: how long a request's address and Content-Type may be.

import { form, get, type RawRequest, token11, token12 } from '../../scripts/harness';
import { useReference } from '../harness/use-server';

const ASMX = '/PushNotificationMobile.asmx';

describe('a Content-Type over its limit', () => {
  const server = useReference();
  const typed = (request: RawRequest, length: number): RawRequest => ({
    ...request,
    headers: (request.headers ?? []).map(([name, value]) => [
      name,
      name === 'Content-Type' ? `${value};x=`.padEnd(length, 'y') : value,
    ]),
  });
  const REQUESTS = [token11('7'), token12('7'), form('PushNotificationMobile', 'GetTokenDevice', 'id=7')];

  it('is rejected with a page; 1,024 characters are accepted', async () => {
    for (const request of REQUESTS) {
      expect((await server.send(typed(request, 1024))).status).toBe(200);
      const refused = await server.send(typed(request, 1025));
      expect(refused.status).toBe(400);
      expect(refused.header('Content-Type')).toBe('text/html; charset=utf-8');
      expect(refused.text).toContain(
        'The length of the Content-Type header of this request exceeds the limit.',
      );
      expect(refused.text).not.toContain('yyy');
    }
  });
});

describe('an address over its limits', () => {
  const server = useReference();

  it.each([
    ['2,048 characters', `id=${'x'.repeat(2045)}`, 200],
    ['2,049 characters', `id=${'x'.repeat(2046)}`, 400],
    ['2,049 characters once decoded only', `id=${'%41'.repeat(682)}`, 400],
    ['100 KB', `id=${'x'.repeat(12_000)}`, 400],
  ])('a query has at most 2,048 characters: %s', async (_what, query, status) => {
    const response = await server.send(get('PushNotificationMobile', 'GetTokenDevice', query));
    expect(response.status).toBe(status);
    if (status === 400) expect(response.header('Content-Type')).toMatch(/^text\/html\b/);
  });

  it('has the same limit on every path', async () => {
    const long = 'x'.repeat(2049);
    expect((await server.send({ path: `${ASMX}?${long}` })).status).toBe(400);
    expect((await server.send({ ...token11('7'), path: `${ASMX}?${long}` })).status).toBe(400);
  });

  it.each([
    ['260 characters', 260, 500],
    ['261 characters', 261, 400],
    ['2,000 characters', 2000, 400],
  ])('a path has at most 260 characters: %s', async (_what, length, status) => {
    const path = `${ASMX}/`.padEnd(length, 'x');
    const response = await server.send({ path });
    expect(response.status).toBe(status);
    expect(response.header('Content-Type')).toMatch(status === 400 ? /^text\/html\b/ : /^text\/plain\b/);
  });
});

describe('configured limits', () => {
  const server = useReference({ limits: { queryCharacters: 10, pathCharacters: 50 } });

  it('apply to the query and the path', async () => {
    expect((await server.send({ path: `${ASMX}?wsdl&x=123` })).status).toBe(200);
    expect((await server.send({ path: `${ASMX}?wsdl&x=1234` })).status).toBe(400);
    expect((await server.send({ path: `${ASMX}/`.padEnd(50, 'x') })).status).toBe(500);
    expect((await server.send({ path: `${ASMX}/`.padEnd(51, 'x') })).status).toBe(400);
  });
});
