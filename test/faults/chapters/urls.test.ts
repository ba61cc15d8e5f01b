// Attacks through GET, POST and URLs.

import { escapeXml, FORM_VOID, formError, formTokenIs, seen } from '../../harness/asmx-answers';
import { form, get, type RawRequest, type RawResponse, token11, withHeaders } from '../../../scripts/harness';
import { type Case, MARK, useAttackedService } from './attacked-service';

const PUSH = 'PushNotificationMobile';
const OPERATION = 'GetTokenDevice';
const ASMX = `/${PUSH}.asmx`;
const FORM = 'application/x-www-form-urlencoded';

/** Ids as they must arrive, by the query that carries them. */
const ARRIVALS: readonly (readonly [query: string, id: string])[] = [
  [`id=${MARK}1&id=2`, `${MARK}1,2`],
  [`id=${MARK}1&ID=3`, `${MARK}1,3`],
  [`id=${MARK}%zz`, `${MARK}%zz`],
  [`id=${MARK}%ff`, `${MARK}\uFFFD`],
  [`id=${MARK}+b`, `${MARK} b`],
  [`id=${MARK}%2Bc`, `${MARK}+c`],
  [`id=${MARK};id=d`, `${MARK};id=d`],
  [`id=${MARK}%u0130`, `${MARK}İ`],
];
const tokenOf = (id: string): string => `token-${String(ARRIVALS.findIndex(([, known]) => known === id))}`;
const PLAIN = `${MARK}-7`;
const TOKEN = 'token-plain';

const service = useAttackedService({
  devices: { [PLAIN]: TOKEN, ...Object.fromEntries(ARRIVALS.map(([, id]) => [id, tokenOf(id)])) },
});

const UNKNOWN_DEVICE = {
  ...formTokenIs(''),
  body: '<?xml version="1.0" encoding="utf-8"?>\r\n<string xmlns="http://tempuri.org/" />',
};

/** Asks the same over GET and over POST. */
function both(query: string, answer: Case[1]): readonly Case[] {
  return [
    [get(PUSH, OPERATION, query), answer],
    [form(PUSH, OPERATION, query), answer],
  ];
}

const MISSING = formError('Missing parameter: id.');

describe('GET, POST and URLs', () => {
  it('30 Missing parameter', async () => {
    await service.answers(...both('', MISSING), ...both('id', MISSING), ...both(`x=${MARK}`, MISSING), [
      { ...form(PUSH, OPERATION, ''), path: `${ASMX}/${OPERATION}?id=${PLAIN}` },
      MISSING,
    ]);
  });

  it('31 Repeated names, and names with brackets', async () => {
    await service.answers(
      ...ARRIVALS.slice(0, 2).flatMap(([query, id]) => both(query, formTokenIs(tokenOf(id)))),
      ...['id[]=1', 'id[a]=1', 'id[__proto__][x]=1', '__proto__=1', 'constructor[prototype][id]=1'].flatMap(
        (query) => both(query, MISSING),
      ),
      ...both(`id[__proto__][x]=1&id=${PLAIN}`, formTokenIs(TOKEN)),
    );
  });

  it('32 Odd escapes: %00, %zz, %ff, +, %2B, ;, %u0130', async () => {
    await service.answers(
      ...ARRIVALS.slice(2).flatMap(([query, id]) => both(query, formTokenIs(tokenOf(id)))),
      ...both(`id=${MARK}%00`, UNKNOWN_DEVICE),
    );
  });

  it('33 Query over 2,048 characters, form over its limit', async () => {
    const tooLong = withHeaders(form(PUSH, OPERATION, `id=${MARK}`), ['Content-Length', '4194305']);
    await service.answers(
      [get(PUSH, OPERATION, `id=${PLAIN}&x=`.padEnd(2048, 'x')), formTokenIs(TOKEN)],
      [tooLong, formError('Maximum request length exceeded.')],
    );
    await service.showsPage(
      get(PUSH, OPERATION, `id=${PLAIN}&x=`.padEnd(2049, 'x')),
      400,
      'The length of the query string for this request exceeds the',
    );
  });

  it('34 Ten thousand parameters', async () => {
    const tooMany = formError('Operation is not valid due to the current state of the object.');
    const names = Array.from({ length: 10_000 }, (_, at) => `${MARK}${String(at)}=1`).join('&');
    await service.answers(
      [form(PUSH, OPERATION, `${names}&id=${PLAIN}`), tooMany],
      [form(PUSH, OPERATION, Array.from({ length: 10_000 }, () => `id=${MARK}`).join('&')), tooMany],
      [get(PUSH, OPERATION, `${'a&'.repeat(1000)}id=${PLAIN}`), tooMany],
    );
    await service.showsPage(get(PUSH, OPERATION, names), 431, 'Request Header Fields Too Large');
  });

  it('35 Form sent as multipart, as XML, in UTF-16, and an empty one', async () => {
    const typed = (type: string, body: string | Uint8Array): RawRequest => ({
      ...form(PUSH, OPERATION, body),
      headers: [['Content-Type', type]],
    });
    const parts = `--b\r\nContent-Disposition: form-data; name="id"\r\n\r\n${PLAIN}\r\n--b--\r\n`;
    const wide = Buffer.from(`id=${PLAIN}`, 'utf16le');
    await service.answers(
      [
        typed('multipart/form-data; boundary=b', parts),
        formError('Request format is invalid: multipart/form-data; boundary=b.'),
      ],
      [typed('text/xml', `<id>${PLAIN}</id>`), formError('Request format is invalid: text/xml.')],
      [typed(`${FORM}; charset=utf-16`, wide), formTokenIs(TOKEN)],
      [typed(FORM, ''), MISSING],
    );
  });

  it('36 Paths: a trailing slash and two leading ones, other letter case, dots, built-in names', async () => {
    const query = `?id=${PLAIN}`;
    const unknown = (name: string) => formError(`${name} Web Service method name is not valid.`);
    await service.answers(
      [{ path: `${ASMX}/${OPERATION}/${query}` }, unknown(`${OPERATION}/`)],
      [{ path: `/${ASMX}/${OPERATION}${query}` }, formTokenIs(TOKEN)],
      [{ path: `${ASMX.toUpperCase()}/${OPERATION}${query}` }, formTokenIs(TOKEN)],
      [{ path: `/Scheduals.asmx/..${ASMX}/${OPERATION}${query}` }, formTokenIs(TOKEN)],
      [{ path: `${ASMX}/../Scheduals.asmx/GetExamTableByExamId?ExamId=${MARK}` }, FORM_VOID],
      ...['__proto__', 'constructor', 'toString'].map((name): Case => [
        { path: `${ASMX}/${name}${query}` },
        unknown(name),
      ]),
    );
    for (const path of [`/${MARK}.asmx/${OPERATION}`, '/../../etc/passwd', '/__proto__']) {
      await service.showsPage({ path }, 404, 'The resource cannot be found.');
    }
  });

  it.each(['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH'])('37 Other methods: %s', async (method) => {
    const bodies: string[] = [];
    const expectRefused = async (path: string, status: number, text: string): Promise<void> => {
      const page = await service.ask({ method, path });
      expect(page.status).toBe(status);
      expect(page.header('Content-Type')).toBe('text/html; charset=utf-8');
      if (method === 'HEAD') expect(page.text).toBe('');
      else expect(page.text).toContain(escapeXml(text));
      bodies.push(page.text);
    };
    await expectRefused(`${ASMX}?${MARK}`, 405, 'Request format is unrecognized.');
    await expectRefused(
      `${ASMX}/${OPERATION}?id=${MARK}`,
      500,
      'Request format is unrecognized for URL unexpectedly ending in',
    );
    expect(bodies.join()).not.toContain(MARK);
  });

  describe('38 Request text in the answer', () => {
    const SCRIPT = `<script>alert('${MARK}')</script>`;
    const ENCODED = encodeURIComponent(SCRIPT);

    /** All that a browser could take for markup or a script has no power. */
    function expectHarmless(answer: RawResponse): void {
      expect(answer.text).not.toContain('<script>alert');
      expect(answer.header('X-Content-Type-Options')).toBe('nosniff');
      expect(answer.header('Content-Security-Policy')).toMatch(/^default-src 'none'; /);
    }

    it.each([
      ['the name of an operation', get(PUSH, ENCODED)],
      ['the name in a help page', { path: `${ASMX}?op=${ENCODED}` }],
      ['the path of an error page', { method: 'PUT', path: `${ASMX}/${ENCODED}` }],
      ['an unknown path', { path: `/${ENCODED}` }],
      ['a host', { path: ASMX, headers: [['Host', `${MARK}"><script>alert(1)</script>`]] }],
      ['a media type', { ...form(PUSH, OPERATION, 'id=7'), headers: [['Content-Type', `text/${SCRIPT}`]] }],
      ['a flag', get('NotificationNotes', 'GetStudentSchool', `school_base_url=x&show_active=${ENCODED}`)],
    ] satisfies readonly (readonly [string, RawRequest])[])('%s is escaped', async (_what, request) => {
      const answer = await service.ask(request);
      expectHarmless(answer);
    });

    it('a text quotes it in the contract’s own words', async () => {
      const encoded = `&lt;script&gt;alert(&#39;${MARK}&#39;)&lt;/script&gt;`;
      await service.answers(
        [get(PUSH, `${MARK}'%22`), formError(`${MARK}&#39;&quot; Web Service method name is not valid.`)],
        [
          get('NotificationNotes', 'GetStudentSchool', `school_base_url=x&show_active=${ENCODED}`),
          formError(
            `Cannot convert ${encoded} to System.Char.\r\nParameter name: type ---> String must be exactly one character long.`,
          ),
        ],
      );
    });

    it('a fault contains it as text', async () => {
      const fault = await service.ask({
        ...token11(PLAIN),
        headers: [
          ['Content-Type', 'text/xml'],
          ['SOAPAction', SCRIPT],
        ],
      });
      expect(seen(fault)).toMatchObject({ status: 500, cacheControl: 'private' });
      expect(fault.text).toContain(`SOAPAction: ${escapeXml(SCRIPT)}.</faultstring>`);
    });
  });
});
