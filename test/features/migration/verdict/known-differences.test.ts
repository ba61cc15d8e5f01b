import type { Header, HttpAnswer, HttpRequest } from '../../../../src/features/migration/messages';
import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { fails } from '../../../../src/features/migration/verdict/verdict';
import { KNOWN_DIFFERENCES } from '../../../../src/features/migration/verdict/known-differences';
import { answer } from './answers';

const TEXT: readonly Header[] = [['Content-Type', 'text/plain; charset=utf-8']];
const PAGE: readonly Header[] = [['Content-Type', 'text/html; charset=utf-8']];
const STUDENT = '/NotificationNotes.asmx/GetStudentSchool';

interface Example {
  readonly request: HttpRequest;
  readonly old: HttpAnswer;
  readonly ours: HttpAnswer;
}

function exchange(
  target: string,
  old: HttpAnswer,
  ours: HttpAnswer,
  {
    method = 'GET',
    headers = [],
    body = '',
  }: Partial<Omit<HttpRequest, 'body'>> & { readonly body?: string } = {},
): Example {
  return { request: { method, target, headers, body: Buffer.from(body) }, old, ours };
}

function fault(text: string, status = 500): HttpAnswer {
  const document = `<Envelope><Body><Fault><faultcode>c</faultcode><faultstring>${text}</faultstring><detail /></Fault></Body></Envelope>`;
  return answer(document, undefined, status);
}

const OK = answer('<string>a</string>');

/** Exchanges that show a difference, by its name. */
const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  'A failure inside the service': [
    exchange(
      '/A.asmx',
      fault('Server was unable to process request. ---> Login failed for user sa'),
      fault('Server was unable to process request. ---> An error occurred on the server.'),
    ),
    exchange(
      STUDENT,
      answer('Login failed\r\n', TEXT, 500),
      answer('An error occurred on the server.\r\n', TEXT, 500),
    ),
  ],
  '`show_active` over SOAP': [exchange('/A.asmx', fault('Input string was not in a correct format.'), OK)],
  'XML depth, attributes, elements': [
    exchange('/A.asmx', OK, fault('The request is nested deeper than 64 elements.')),
    exchange('/A.asmx', OK, fault('The request has an element with more than 128 attributes.')),
    exchange('/A.asmx', OK, fault('The request has more than 100000 elements.')),
  ],
  'More than 1,000 keys in a query or form': [
    exchange(
      STUDENT,
      OK,
      answer('Operation is not valid due to the current state of the object.\r\n', TEXT, 500),
    ),
  ],
  'Names in XML, Content-Type': [
    exchange('/A.asmx', OK, fault('The request has a name of more than 256 characters.')),
    exchange('/A.asmx', OK, answer('', PAGE, 400), { headers: [['Content-Type', 'x'.repeat(1025)]] }),
  ],
  'Bodies over 64 KB': [exchange('/A.asmx', OK, answer('', undefined, 503), { body: 'x'.repeat(65_537) })],
  '405; two Host headers': [
    exchange('/A.asmx', answer('', PAGE, 405), answer('', [...PAGE, ['Allow', 'GET, POST']], 405), {
      method: 'PUT',
    }),
    exchange('/A.asmx', OK, answer('', PAGE, 400), {
      headers: [
        ['Host', 'a'],
        ['host', 'b'],
      ],
    }),
  ],
  'Raw bytes above 0x7F in a URL, folded headers, `Transfer-Encoding: identity`': [
    exchange(`${STUDENT}?a=\xc5\x9f`, OK, answer('', PAGE, 400)),
    exchange('/A.asmx', OK, answer('', PAGE, 400), {
      method: 'POST',
      headers: [['Transfer-Encoding', 'identity']],
      body: 'a',
    }),
  ],
  'Text in `text/xml` without a charset': [
    exchange('/A.asmx', answer('<a>Ay?e</a>'), answer('<a>Ayşe</a>'), {
      method: 'POST',
      headers: [['Content-Type', 'text/xml']],
      body: '<a>Ayşe</a>',
    }),
    exchange('/A.asmx', answer('<a>Ay?e</a>'), answer('<a>Ayşe</a>'), {
      method: 'POST',
      headers: [['Content-Type', 'text/xml; charset=nope']],
      body: '<a>Ayşe</a>',
    }),
  ],
  'Markup in a GET or POST value': [
    exchange(
      `${STUDENT}?a=<b>`,
      answer('A potentially dangerous Request.QueryString value was detected from the client (a=', TEXT, 500),
      OK,
    ),
  ],
  '`%uXXXX` in a query': [exchange(`${STUDENT}?a=%u015F`, answer('<a>%u015F</a>'), answer('<a>ş</a>'))],
  '`application/json`': [
    exchange(STUDENT, answer('{}', [['Content-Type', 'application/json']], 500), answer('', undefined, 415), {
      headers: [['content-type', 'application/json; charset=utf-8']],
    }),
  ],
  'Case of `X.asmx` in a path': [
    exchange('/notificationnotes.asmx', answer('', PAGE, 404), OK),
    exchange('/NotificationNotes.ASMX?WSDL', answer('', PAGE, 404), OK),
  ],
  '`?singleWsdl`': [exchange('/A.asmx?singleWsdl', answer('<html>', PAGE), OK)],
  'Pages, descriptions, discovery documents': [
    exchange(
      '/A.asmx?WSDL',
      OK,
      answer('<string>a</string>', [
        ['Content-Type', 'text/xml; charset=utf-8'],
        ['ETag', '"1"'],
        ['Vary', 'Accept-Encoding'],
      ]),
    ),
    exchange('/A.asmx?WSDL', OK, answer('', [], 304), { headers: [['If-None-Match', '"1"']] }),
  ],
  'Forwarded headers': [
    exchange(
      '/A.asmx?disco',
      answer('<d address="http://inner/A.asmx"/>'),
      answer('<d address="https://outer/A.asmx"/>'),
      { headers: [['X-Forwarded-Host', 'outer']] },
    ),
  ],
  'HTML pages, `GET /`': [
    exchange('/A.asmx', answer('<html>1', PAGE), answer('<html>2', PAGE)),
    exchange('/', answer('<html>1', PAGE, 403), answer('<html>2', PAGE)),
    exchange('/A.asmx?op=Get', answer('<html>1', PAGE, 500), answer('<html>2', PAGE)),
  ],
  'Security headers': [
    exchange(STUDENT, OK, { ...OK, headers: [...OK.headers, ['X-Content-Type-Options', 'nosniff']] }),
  ],
  'Calls from a page of another site': [
    exchange(STUDENT, OK, answer('', PAGE, 403), { headers: [['Sec-Fetch-Site', 'cross-site']] }),
    exchange('/A.asmx', OK, fault('A page of another site may not call this operation.'), {
      method: 'POST',
      headers: [['Origin', 'https://evil.example']],
    }),
    exchange(
      STUDENT,
      OK,
      { ...OK, headers: [...OK.headers, ['Access-Control-Allow-Origin', '*']] },
      {
        headers: [['Origin', 'https://portal.example']],
      },
    ),
    exchange('/A.asmx', answer('', PAGE, 405), answer('', [], 204), {
      method: 'OPTIONS',
      headers: [
        ['Origin', 'https://portal.example'],
        ['Access-Control-Request-Method', 'POST'],
      ],
    }),
  ],
  '`Server`, `X-Powered-By`': [
    exchange(STUDENT, { ...OK, headers: [...OK.headers, ['Server', 'Microsoft-IIS/10.0']] }, OK),
  ],
};

// Those that only show where somebody asks for them, too.
const OPTIONS = { comparedHeaders: ['Server', 'X-Powered-By', 'X-Content-Type-Options'] };

describe('intended differences', () => {
  it('have an example for each rule', () => {
    const counts = Object.entries(EXAMPLES).map(([what, examples]) => [what, examples.length > 0]);
    const shown = KNOWN_DIFFERENCES.filter((each) => each.shown.length > 0).map(({ what }) => [what, true]);
    expect(counts).toEqual(shown);
  });

  it.each(
    Object.entries(EXAMPLES).flatMap(([what, examples]) =>
      examples.map((example, at) => [what, at, example] as const),
    ),
  )('%s: example %i is known', (what, _, { request, old, ours }) => {
    expect(fails(compareAnswers(old, ours, OPTIONS))).toBe(true);
    const verdict = compareAnswers(old, ours, { ...OPTIONS, request });
    expect(verdict.differences.map(({ known }) => known)).not.toContain(undefined);
    expect(verdict.differences[0]?.known).toBe(KNOWN_DIFFERENCES.find((each) => each.what === what)?.reason);
    expect(fails(verdict)).toBe(false);
  });

  it.each([
    ['another result', exchange(STUDENT, OK, answer('<string>b</string>'))],
    [
      'a failure of the new server only',
      exchange(STUDENT, OK, answer('An error occurred on the server.', TEXT, 500)),
    ],
    ['another fault', exchange('/A.asmx', fault('Missing'), fault('Wrong'))],
    [
      'another fault code',
      exchange(
        '/A.asmx',
        answer('<Envelope><faultcode>a</faultcode></Envelope>', undefined, 500),
        answer(
          '<Envelope><faultcode>b</faultcode><x>An error occurred on the server.</x></Envelope>',
          undefined,
          500,
        ),
      ),
    ],
    ['a server too busy', exchange(STUDENT, OK, answer('', undefined, 503))],
    [
      'a server too busy for a body of 64 KB',
      exchange('/A.asmx', OK, answer('', undefined, 503), { body: 'x'.repeat(65_536) }),
    ],
    ['a failure with a longer body', exchange('/A.asmx', OK, fault('Wrong'), { body: 'x'.repeat(65_537) })],
    [
      'a page about a Content-Type of 1,024 characters',
      exchange('/A.asmx', OK, answer('', PAGE, 400), { headers: [['Content-Type', 'x'.repeat(1024)]] }),
    ],
    [
      'a failure with a longer Content-Type',
      exchange('/A.asmx', OK, fault('Wrong'), { headers: [['Content-Type', 'x'.repeat(1025)]] }),
    ],
    [
      'a failure with two Host headers',
      exchange('/A.asmx', OK, fault('Wrong'), {
        headers: [
          ['Host', 'a'],
          ['Host', 'b'],
        ],
      }),
    ],
    ['a page about one', exchange('/A.asmx', OK, answer('', PAGE, 400), { headers: [['Host', 'a']] })],
    ['a failure with raw bytes', exchange(`${STUDENT}?a=\xc5`, OK, answer('Wrong', TEXT, 500))],
    [
      'another fault for `show_active`',
      exchange('/A.asmx', fault('Input string was not in a correct format.'), fault('Wrong')),
    ],
    [
      'a text about the format in a result',
      exchange(STUDENT, answer('Input string was not in a correct format.'), OK),
    ],
    ['a long name in a result', exchange(STUDENT, OK, answer('has a name of more than 256 characters.'))],
    ['deep elements in a result', exchange(STUDENT, OK, answer('is nested deeper than 64 elements'))],
    [
      'markup in a result',
      exchange(STUDENT, answer('A potentially dangerous Request.Form value was detected'), OK),
    ],
    ['`%uXXXX` in a path', exchange('/A%u015F.asmx?a=1', answer('<a>1</a>'), answer('<a>2</a>'))],
    ['less than `%uXXXX` in a query', exchange(`${STUDENT}?a=%u0`, answer('<a>1</a>'), answer('<a>2</a>'))],
    [
      'an old server without such an endpoint',
      exchange('/NotificationNotes.asmx', answer('', PAGE, 404), OK),
    ],
    ['another media type of a page', exchange('/A.asmx', answer('a', PAGE), answer('b', TEXT))],
    ['another status of a page', exchange('/A.asmx', answer('a', PAGE, 404), answer('b', PAGE))],
    ['Allow elsewhere', exchange(STUDENT, OK, { ...OK, headers: [...OK.headers, ['Allow', 'GET']] })],
    [
      'another result for text that has a charset',
      exchange('/A.asmx', answer('<a>Ay?e</a>'), answer('<a>Ayşe</a>'), {
        headers: [['Content-Type', 'text/xml; charset=utf-8']],
        body: 'ş',
      }),
    ],
  ])('do not include %s', (_, { request, old, ours }) => {
    expect(fails(compareAnswers(old, ours, { ...OPTIONS, request }))).toBe(true);
  });
});
