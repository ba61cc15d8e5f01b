// The wire contract, section 1.

import { FORM_VOID, formError, formTokenIs, token11Is } from '../harness/asmx-answers';
import { call, envelope11, form, get, soap11, token11 } from '../../scripts/harness';
import { useReference } from '../harness/use-server';

const reference = useReference();
const ASMX = '/PushNotificationMobile.asmx';
const TOKEN = `${ASMX}/GetTokenDevice?id=1`;

async function page(method: string, path: string) {
  const response = await reference.send({ method, path });
  const mediaType = response.header('Content-Type')?.split(';')[0];
  return { status: response.status, mediaType, reason: response.reason, response };
}

describe('POST on an endpoint', () => {
  it.each(['?wsdl', '?WSDL', '?disco', '?op=GetTokenDevice', '?schema=1', '?x', '?'])(
    'is a SOAP call whatever the query: %s',
    async (query) => {
      const request = { ...token11('7'), path: ASMX + query };
      expect(await reference.ask(request)).toEqual(token11Is('TOKEN-7'));
    },
  );
});

describe('a method other than GET and POST', () => {
  const METHODS = [
    'HEAD',
    'PUT',
    'DELETE',
    'PATCH',
    'OPTIONS',
    'TRACE',
    'FOO',
    'get',
    'post',
    'Get',
    'PROPFIND',
  ];

  it.each(METHODS)('gets 405 with a page for %s on an endpoint', async (method) => {
    expect(await page(method, ASMX)).toMatchObject({
      status: 405,
      reason: 'Method Not Allowed',
      mediaType: 'text/html',
    });
  });

  it.each(METHODS)('gets 405 for %s of the description', async (method) => {
    expect(await page(method, `${ASMX}?wsdl`)).toMatchObject({ status: 405, mediaType: 'text/html' });
  });

  it.each(METHODS)('gets 500 with a page for %s on an operation', async (method) => {
    expect(await page(method, TOKEN)).toMatchObject({
      status: 500,
      reason: 'Internal Server Error',
      mediaType: 'text/html',
    });
  });

  it.each(['PUT', 'FOO', 'get'])('gets 404 for %s on an unknown endpoint', async (method) => {
    expect(await page(method, '/Nope.asmx')).toMatchObject({ status: 404, mediaType: 'text/html' });
  });

  it('gets a page that names what was not understood', async () => {
    const endpoint = await page('PUT', ASMX);
    expect(endpoint.response.text).toContain('Request format is unrecognized.');
    const operation = await page('PUT', `${ASMX}/GetTokenDevice`);
    expect(operation.response.text).toMatch(
      /Request format is unrecognized for URL unexpectedly ending in (&#39;|')\/GetTokenDevice(&#39;|')\./,
    );
  });

  it('gets 500 with a page on an unknown operation', async () => {
    for (const method of ['PUT', 'FOO']) {
      const answer = await page(method, `${ASMX}/Nope`);
      expect(answer).toMatchObject({ status: 500, mediaType: 'text/html' });
    }
  });

  it('gets no body if it is HEAD', async () => {
    const connection = await reference.connect();
    connection.send({ method: 'HEAD', path: ASMX });
    expect((await connection.read('HEAD')).status).toBe(405);
    expect(await connection.readUntilClosed()).toHaveLength(0);
    connection.close();
  });
});

describe('routing', () => {
  it.each([
    ['GET', '/'],
    ['POST', '/'],
    ['GET', '/?wsdl'],
    ['GET', '/?id=1'],
  ])('answers 500 with a page to %s on the endpoint followed by %s', async (method, rest) => {
    expect(await page(method, ASMX + rest)).toMatchObject({ status: 500, mediaType: 'text/html' });
  });

  it.each([
    ['GET', 'js'],
    ['GET', 'jsdebug'],
    ['POST', 'js'],
  ])('answers 500 with a page to %s of the script proxy %s', async (method, name) => {
    expect(await page(method, `${ASMX}/${name}`)).toMatchObject({ status: 500, mediaType: 'text/html' });
  });

  it.each([
    '/Nope.asmx',
    '/Nope.asmx/GetTokenDevice?id=1',
    '/Nope.asmx?wsdl',
    '/nope',
    '/a/PushNotificationMobile.asmx',
  ])('answers 404 with a page to an unknown path: %s', async (path) => {
    expect(await page('GET', path)).toMatchObject({ status: 404, mediaType: 'text/html' });
    expect(await page('POST', path)).toMatchObject({ status: 404, mediaType: 'text/html' });
  });

  it.each(['/pushnotificationmobile.asmx', '/PUSHNOTIFICATIONMOBILE.ASMX', '/PushNotificationMobile.Asmx'])(
    'ignores the letter case of an endpoint: %s',
    async (path) => {
      expect(await reference.ask({ ...token11('7'), path })).toEqual(token11Is('TOKEN-7'));
      expect(await reference.ask({ path: `${path}/GetTokenDevice?id=7` })).toEqual(formTokenIs('TOKEN-7'));
      expect((await reference.ask({ path: `${path}?wsdl` })).status).toBe(200);
    },
  );

  it('distinguishes the letter case of an operation', async () => {
    const text =
      'Invalid method name &#39;GETTOKENDEVICE&#39;,  method names are case sensitive.   The method name ' +
      '&#39;GetTokenDevice&#39; with the same name but different casing was found.\r\nParameter name: methodName';
    expect(await reference.ask(get('PushNotificationMobile', 'GETTOKENDEVICE', 'id=1'))).toEqual(
      formError(text),
    );
    expect(await reference.ask(form('PushNotificationMobile', 'GETTOKENDEVICE', 'id=1'))).toEqual(
      formError(text),
    );
  });

  it.each([
    ['Nope', 'Nope'],
    ['GetTokenDevice/', 'GetTokenDevice/'],
    ['GetTokenDevice/x', 'GetTokenDevice/x'],
    ['GetTokenDevice/x/', 'GetTokenDevice/x/'],
    ['GetTokenDevices', 'GetTokenDevices'],
    ['AuthCode', 'AuthCode'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['No%20pe', 'No pe'],
    ['No%22pe', 'No&quot;pe'],
    ["No'pe", 'No&#39;pe'],
    ['N%C3%B6pe', 'N&#246;pe'],
    ['N%C4%B0pe', 'Nİpe'],
  ])('finds no operation %s', async (operation, shown) => {
    const error = formError(`${shown} Web Service method name is not valid.`);
    expect(await reference.ask(get('PushNotificationMobile', operation, 'id=1'))).toEqual(error);
    expect(await reference.ask(form('PushNotificationMobile', operation, 'id=1'))).toEqual(error);
  });

  it('decodes the path', async () => {
    expect(await reference.ask(get('PushNotificationMobile', 'GetToken%44evice', 'id=1'))).toEqual(
      formTokenIs('TOKEN-1'),
    );
    expect((await reference.send({ path: '/%50ushNotificationMobile.asmx?wsdl' })).status).toBe(200);
  });

  it('accepts a doubled slash before the operation', async () => {
    expect(await reference.ask({ path: '/PushNotificationMobile.asmx//GetTokenDevice?id=1' })).toEqual(
      formTokenIs('TOKEN-1'),
    );
  });

  it.each(['%3Cscript%3E', 'a%3Eb'])(
    'rejects markup in the operation name with a page: %s',
    async (operation) => {
      const { status, mediaType, response } = await page('GET', `${ASMX}/${operation}`);
      expect({ status, mediaType }).toEqual({ status: 500, mediaType: 'text/html' });
      expect(response.text).not.toMatch(/<script>|a>b/);
    },
  );

  it.each(['GET', 'PUT', 'FOO'])('reports a dangerous path to %s', async (method) => {
    const { status, response } = await page(method, `${ASMX}/%3Cscript%3E`);
    expect(status).toBe(500);
    expect(response.text).toContain('A potentially dangerous Request.Path value was detected');
  });

  it('answers HEAD of the front page like GET, without the page', async () => {
    const [shown, headed] = [await page('GET', '/'), await page('HEAD', '/')];
    expect(headed).toMatchObject({ status: 200, mediaType: 'text/html' });
    expect(headed.response.text).toBe('');
    for (const name of ['Content-Length', 'ETag', 'Content-Type'])
      expect(headed.response.header(name)).toBe(shown.response.header(name));
  });

  it.each(['/', '*', '/?x'])('answers OPTIONS of %s with the allowed methods', async (path) => {
    const { response } = await page('OPTIONS', path);
    expect([response.status, response.text, response.header('Allow')]).toEqual([
      200,
      '',
      'GET, HEAD, OPTIONS',
    ]);
  });

  it.each(['POST', 'PUT', 'DELETE', 'TRACE'])('answers 405 to %s of the front page', async (method) => {
    const { status, response } = await page(method, '/');
    expect([status, response.header('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it.each(['http://other.example/', 'http://other.example'])('finds the front page at %s', async (path) => {
    expect((await page('GET', path)).status).toBe(200);
  });

  it.each([
    ['the front page', '/', 'Host'],
    ['a description', `${ASMX}?wsdl`, 'host'],
    ['an operation', TOKEN, 'HOST'],
  ])('answers 400 to a request of %s that names two hosts', async (_what, path, name) => {
    const headers = [
      ['Host', 'a.example'],
      [name, 'a.example'],
    ] as const;
    const answer = await reference.send({ path, headers });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('The request names its host more than once.');
  });
});

describe('the four bindings', () => {
  it('offer one operation by SOAP on the endpoint and by HTTP GET and POST below it', async () => {
    expect(await reference.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
    expect(await reference.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=7'))).toEqual(
      formTokenIs('TOKEN-7'),
    );
    expect(await reference.ask(form('PushNotificationMobile', 'GetTokenDevice', 'id=7'))).toEqual(
      formTokenIs('TOKEN-7'),
    );
  });

  it('keep the operations of each endpoint separate', async () => {
    const request = soap11('PushNotificationMobile', 'AuthCode', envelope11(call('AuthCode', { code: '1' })));
    expect((await reference.ask(request)).body).toContain(
      'Server did not recognize the value of HTTP Header SOAPAction: http://tempuri.org/AuthCode.',
    );
    expect(await reference.ask(get('AuthCodeSending', 'AuthCode', 'code=1&phone=2'))).toEqual(FORM_VOID);
  });

  it('reject a SOAP message sent to the path of an operation', async () => {
    const request = { ...token11('7'), path: `${ASMX}/GetTokenDevice` };
    expect(await reference.ask(request)).toEqual(
      formError('Request format is invalid: text/xml; charset=utf-8.'),
    );
  });
});
