// The wire contract, sections 7 and 8.

import { FRESH } from '../../harness/asmx-answers';
import { ENDPOINT_NAMES, readDescription } from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const reference = useReference();
const ASMX = '/PushNotificationMobile.asmx';

const DOCUMENT = { status: 200, contentType: 'text/xml; charset=utf-8', cacheControl: FRESH };
const PAGE = { status: 200, contentType: 'text/html; charset=utf-8', cacheControl: FRESH };

function published(name: (typeof ENDPOINT_NAMES)[number], address: string): string {
  return readDescription(name).replaceAll(`http://localhost/${name}.asmx`, address);
}

function disco(address: string, name: string): string {
  const soap = (id: string, binding: string): string =>
    `  <soap address="${address}" xmlns:${id}="http://tempuri.org/" binding="${id}:${binding}" ` +
    'xmlns="http://schemas.xmlsoap.org/disco/soap/" />\r\n';
  return (
    '<?xml version="1.0" encoding="utf-8"?>\r\n' +
    '<discovery xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://schemas.xmlsoap.org/disco/">\r\n' +
    `  <contractRef ref="${address}?wsdl" docRef="${address}" xmlns="http://schemas.xmlsoap.org/disco/scl/" />\r\n` +
    soap('q1', `${name}Soap`) +
    soap('q2', `${name}Soap12`) +
    '</discovery>'
  );
}

describe('the description', () => {
  it.each(ENDPOINT_NAMES)('is the hand-written one with the address from the request: %s', async (name) => {
    const path = `/${name}.asmx`;
    const body = published(name, `http://${reference.host}${path}`);
    expect(await reference.ask({ path: `${path}?WSDL` })).toEqual({ ...DOCUMENT, body });
  });

  it.each(['wsdl', 'WSDL', 'Wsdl', 'wSdL', 'WSDL&x=1', 'x=1&wsdl', 'x=&wsdl&y=2', '%77sdl', '%57%53%44%4C'])(
    'is published at ?%s',
    async (query) => {
      const body = published('PushNotificationMobile', `http://${reference.host}${ASMX}`);
      expect(await reference.ask({ path: `${ASMX}?${query}` })).toEqual({ ...DOCUMENT, body });
    },
  );

  it.each(['singleWsdl', 'singlewsdl', 'SINGLEWSDL'])(
    'is published as a single file at ?%s',
    async (query) => {
      const body = published('PushNotificationMobile', `http://${reference.host}${ASMX}`);
      expect(await reference.ask({ path: `${ASMX}?${query}` })).toEqual({ ...DOCUMENT, body });
    },
  );

  it('has the path as requested, without the query', async () => {
    const { body } = await reference.ask({ path: '/pushNOTIFICATIONmobile.ASMX?x=1&WSDL' });
    expect(body).toBe(
      published('PushNotificationMobile', `http://${reference.host}/pushNOTIFICATIONmobile.ASMX`),
    );
  });

  it.each([
    ['example.test:8080', 'http://example.test:8080'],
    ['example.test:80', 'http://example.test'],
    ['EXAMPLE.test:8080', 'http://EXAMPLE.test:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
  ])('has the host and port of the request, without the default port: %s', async (host, origin) => {
    const { body } = await reference.ask({ path: `${ASMX}?wsdl`, headers: [['Host', host]] });
    expect(body.toLowerCase()).toContain(`location="${origin.toLowerCase()}${ASMX.toLowerCase()}"`);
  });

  it.each(['a"b', '<script>', "a'b&c", 'a b', '/x', 'a:b:c', ''])(
    'is well-formed and safe for an odd Host: %s',
    async (host) => {
      const { status, body } = await reference.ask({ path: `${ASMX}?wsdl`, headers: [['Host', host]] });
      expect(status).toBeLessThan(500);
      expect(body).not.toContain('<script');
      expect(body).not.toContain('location="http://a"b');
    },
  );

  it('ignores forwarding headers from untrusted senders', async () => {
    const headers = [
      ['X-Forwarded-Host', 'evil.test'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Port', '444'],
      ['Forwarded', 'host=evil.test;proto=https'],
    ] as const;
    const { body } = await reference.ask({ path: `${ASMX}?wsdl`, headers });
    expect(body).toBe(published('PushNotificationMobile', `http://${reference.host}${ASMX}`));
  });
});

describe('the discovery document', () => {
  it.each(ENDPOINT_NAMES)('names the description and both SOAP addresses: %s', async (name) => {
    const address = `http://${reference.host}/${name}.asmx`;
    expect(await reference.ask({ path: `/${name}.asmx?disco` })).toEqual({
      ...DOCUMENT,
      body: disco(address, name),
    });
  });

  it.each(['disco', 'DISCO', 'Disco', 'x=1&disco', 'disco&x=1', '%64isco'])(
    'is published at ?%s',
    async (query) => {
      const body = disco(`http://${reference.host}${ASMX}`, 'PushNotificationMobile');
      expect(await reference.ask({ path: `${ASMX}?${query}` })).toEqual({ ...DOCUMENT, body });
    },
  );
});

describe('a Host that looks like a reference', () => {
  it.each(['disco', 'wsdl'])('is escaped in ?%s', async (document) => {
    const { body } = await reference.ask({ path: `${ASMX}?${document}`, headers: [['Host', 'a&x;b']] });
    expect(body).toContain(`="http://a&amp;x;b${ASMX}"`);
    expect(body).not.toContain('a&x;');
  });
});

describe('documents that do not exist', () => {
  const text = (body: string) => ({
    status: 500,
    contentType: 'text/plain; charset=utf-8',
    cacheControl: FRESH,
    body: `${body}\r\n`,
  });

  it.each(['wsdl=', 'wsdl=1', 'wsdl=wsdl0', 'WSDL=wsdl1', 'x=1&Wsdl=2', 'wsdl=1&wsdl=2'])(
    'a description by number: ?%s',
    async (query) => {
      expect(await reference.ask({ path: `${ASMX}?${query}` })).toEqual(
        text('XML Web service description was not found.'),
      );
    },
  );

  it('anything requested with more than a thousand pairs', async () => {
    const query = (pairs: number) => ({ path: `${ASMX}?${'x&'.repeat(pairs)}` });
    expect(await reference.ask(query(1000))).toMatchObject({ status: 200 });
    expect(await reference.ask(query(1001))).toEqual(
      text('Operation is not valid due to the current state of the object.'),
    );
  });

  it.each(['schema=', 'schema=1', 'schema=schema1', 'SCHEMA=x', 'x=1&schema=2'])(
    'a schema: ?%s',
    async (query) => {
      expect(await reference.ask({ path: `${ASMX}?${query}` })).toEqual(text('Schema not found.'));
    },
  );
});

describe('the page of an endpoint', () => {
  it.each([
    '',
    '?',
    '?foo',
    '?foo=1',
    '?schema',
    '?wsdl&disco',
    '?disco&wsdl',
    '?wsdl,disco',
    '?wsdl/',
    '?disco=',
    '?disco=1',
    '?xsd=xsd0',
    '?xwsdl',
    '?page=op&tab=test&op=GetTokenDevice&bnd=PushNotificationMobileSoap',
  ])('is the answer to %s', async (query) => {
    const { body, ...rest } = await reference.ask({ path: ASMX + query });
    expect(rest).toEqual(PAGE);
    expect(body).toContain('PushNotificationMobile');
  });

  it.each([
    ['AuthCodeSending', ['AuthCode']],
    ['Scheduals', ['GetExamTableByExamId']],
    ['GetNoteType', ['GetStudentsNoteType']],
    ['NotificationNotes', ['GetStudentSchool', 'SendMarkNotes']],
    ['PushNotificationMobile', ['GetTokenDevice']],
  ])('lists the operations and links to the description: %s', async (name, operations) => {
    const { body } = await reference.ask({ path: `/${name}.asmx` });
    expect(body).toMatch(new RegExp(`<title>\\s*${name} Web Service\\s*</title>`));
    expect(body).toMatch(new RegExp(`href="[^"]*${name}\\.asmx\\?WSDL"`, 'i'));
    for (const operation of operations) expect(body).toContain(operation);
  });

  it.each(['?op=GetTokenDevice', '?op=gettokendevice', '?op=Nope', '?op='])(
    'answers %s with 200',
    async (query) => {
      expect(await reference.ask({ path: ASMX + query })).toMatchObject(PAGE);
    },
  );

  it.each(['?op=%3Cscript%3Ealert(1)%3C/script%3E', '?%3Cscript%3E', '?op="><img%20src=x>'])(
    'shows nothing from the request as markup: %s',
    async (query) => {
      const response = await reference.send({ path: ASMX + query });
      expect(response.text).not.toMatch(/<script>alert|<img src=x/);
      expect(response.header('Content-Security-Policy')).toBeDefined();
      expect(response.header('X-Content-Type-Options')).toBe('nosniff');
    },
  );
});

describe('the front page', () => {
  it('lists the endpoints', async () => {
    const { status, contentType, body } = await reference.ask({ path: '/' });
    expect({ status, contentType }).toEqual({ status: 200, contentType: 'text/html; charset=utf-8' });
    for (const name of ENDPOINT_NAMES) expect(body).toContain(`${name}.asmx`);
  });
});

describe('with a public address', () => {
  const behind = useReference({ publicAddress: 'https://school.example/notify' });
  const withSlash = useReference({ publicAddress: 'https://school.example:8443/' });

  it("documents contain it instead of the request's host", async () => {
    const address = `https://school.example/notify${ASMX}`;
    const wsdl = await behind.ask({ path: `${ASMX}?wsdl`, headers: [['Host', 'evil.test']] });
    expect(wsdl.body).toBe(published('PushNotificationMobile', address));
    const discovery = await behind.ask({ path: `${ASMX}?disco`, headers: [['Host', 'evil.test']] });
    expect(discovery.body).toBe(disco(address, 'PushNotificationMobile'));
  });

  it('a trailing slash makes no difference', async () => {
    const { body } = await withSlash.ask({ path: `${ASMX}?wsdl` });
    expect(body).toBe(published('PushNotificationMobile', `https://school.example:8443${ASMX}`));
  });
});
