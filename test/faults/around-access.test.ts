// Attempts to bypass the access file; none succeeds.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  call,
  chunked,
  envelope11,
  envelope12,
  exchange,
  form,
  get,
  type Header,
  RawConnection,
  type RawRequest,
  soap11,
  soap12,
  TEXT_XML,
  withHeaders,
} from '../../scripts/harness';
import { hashKey } from '../../src/access';
import { databaseIn, storedMessages } from '../service/stored-messages';
import { type ServiceHere, useServicesHere } from '../service/use-services-here';

const KEY = 'a-key-that-is-long-enough';
const PORTAL = ['X-Api-Key', KEY] as const;
const OWN = 'http://village.example';
const OTHERS = 'http://school.example';
/** A student of the school that is not the portal's. */
const STUDENT = 'Yılmazer';

const basic = (user: string, password: string): Header => [
  'Authorization',
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
];
const SENT = { code: '1234', phone: '+905551112233' };
const FORM = 'code=1234&phone=%2B905551112233';
const CODE = form('AuthCodeSending', 'AuthCode', FORM);
const CODE_11 = soap11('AuthCodeSending', 'AuthCode', envelope11(call('AuthCode', SENT)));
const CODE_12 = soap12('AuthCodeSending', envelope12(call('AuthCode', SENT)));
const CODE_GET = get('AuthCodeSending', 'AuthCode', FORM);
const NOTE = get('NotificationNotes', 'SendMarkNotes', `id=N1&id_class=1A&baseUrlSchool=${OTHERS}`);
const TOKEN_CALL = call('GetTokenDevice', { id: 'DEV-1' });
const students = (school: string): RawRequest =>
  get('NotificationNotes', 'GetStudentSchool', `school_base_url=${encodeURIComponent(school)}&show_active=Y`);
const STUDENTS = students(OTHERS);
const schoolCall = (school: string): string =>
  call('GetStudentSchool', { school_base_url: school, show_active: 'Y' });

type Way = readonly [what: string, request: RawRequest];

const at = (request: RawRequest, path: string): RawRequest => ({ ...request, path });
const by = (request: RawRequest, method: string): RawRequest => ({ ...request, method });
const withType = (request: RawRequest, type: string, body: string | Uint8Array): RawRequest => ({
  path: request.path,
  headers: [['Content-Type', type], ...(request.headers ?? []).filter(([name]) => name !== 'Content-Type')],
  body,
});

/** Requests the same operation by another spelling of its address. */
const PATHS: readonly Way[] = [
  '/authcodesending.asmx/AuthCode',
  '/AUTHCODESENDING.ASMX/AuthCode',
  '/AuthCodeSending.asmx/authcode',
  '/AuthCodeSending.asmx/AUTHCODE',
  '/AuthCodeSending.asmx/AuthCode/',
  '/AuthCodeSending.asmx//AuthCode',
  '//AuthCodeSending.asmx/AuthCode',
  '/./AuthCodeSending.asmx/AuthCode',
  '/x/../AuthCodeSending.asmx/AuthCode',
  '/AuthCodeSending.asmx/%41uthCode',
  '/AuthCodeSending.asmx/AuthCod%65',
  '/%41uthCodeSending.asmx/AuthCode',
  '/AuthCodeSending%2Easmx/AuthCode',
  '/AuthCodeSending.asmx%2FAuthCode',
  '/AuthCodeSending.asmx/AuthCode%00',
  '/AuthCodeSending.asmx/AuthCode%20',
  '/AuthCodeSending.asmx/AuthCode;x=1',
  '/AuthCodeSending.asmx/GetTokenDevice',
  '/PushNotificationMobile.asmx/AuthCode',
  '/PushNotificationMobile.asmx/GetTokenDevice/../../AuthCodeSending.asmx/AuthCode',
  '/AuthCodeSending.asmx/AuthCode?op=GetTokenDevice',
  '/AuthCodeSending.asmx/AuthCode?WSDL',
  '/AuthCodeSending.asmx/AuthCode#GetTokenDevice',
  'http://localhost/AuthCodeSending.asmx/AuthCode',
].map((path): Way => [`the address ${path}`, at(CODE, path)]);

const METHODS: readonly Way[] = [
  ...['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'HEAD', 'post', 'Post', 'OPTIONS'].map((method): Way => [
    `the method ${method}`,
    by(CODE, method),
  ]),
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map((name): Way => [
    `${name} on a GET`,
    withHeaders(CODE_GET, [name, 'POST']),
  ]),
  ['HEAD of the GET binding', by(CODE_GET, 'HEAD')],
  ['HTTP/1.0', { ...CODE, httpVersion: '1.0' }],
  ['GET with a body', by(CODE, 'GET')],
];

/** These requests name several operations. */
const OPERATIONS: readonly Way[] = [
  ['SOAPAction of an operation open to all', withSoapAction('"http://tempuri.org/GetTokenDevice"')],
  ['SOAPAction without its quotes', withSoapAction('http://tempuri.org/GetTokenDevice')],
  ['an empty SOAPAction', withSoapAction('""')],
  ['SOAPAction twice', withHeaders(CODE_11, ['SOAPAction', '"http://tempuri.org/GetTokenDevice"'])],
  ['no SOAPAction', { path: CODE_11.path, headers: [['Content-Type', TEXT_XML]], body: CODE_11.body ?? '' }],
  [
    'an action in the media type',
    soap12(
      'AuthCodeSending',
      envelope12(call('AuthCode', SENT)),
      '; action="http://tempuri.org/GetTokenDevice"',
    ),
  ],
  ['SOAP 1.2 in an envelope of 1.1', soap12('AuthCodeSending', envelope11(call('AuthCode', SENT)))],
  [
    'SOAP 1.1 in an envelope of 1.2',
    soap11('AuthCodeSending', 'AuthCode', envelope12(call('AuthCode', SENT))),
  ],
  ['two calls in one body', soapBody(TOKEN_CALL + call('AuthCode', SENT))],
  ['two calls, this one first', soapBody(call('AuthCode', SENT) + TOKEN_CALL)],
  [
    'a call in the header',
    soap11('AuthCodeSending', 'AuthCode', envelope11(TOKEN_CALL, call('AuthCode', SENT))),
  ],
  ['a call within another', soapBody(call('GetTokenDevice', { id: call('AuthCode', SENT) }))],
  [
    'an action of WS-Addressing',
    soap11(
      'AuthCodeSending',
      'AuthCode',
      envelope11(
        call('AuthCode', SENT),
        '<a:Action xmlns:a="http://www.w3.org/2005/08/addressing">http://tempuri.org/GetTokenDevice</a:Action>',
      ),
    ),
  ],
  ['another namespace', soapBody(call('AuthCode', SENT, 'http://other.example/'))],
  ['the operation at another endpoint', at(CODE_11, '/PushNotificationMobile.asmx')],
  ['the same with path information', at(CODE_11, '/AuthCodeSending.asmx/GetTokenDevice')],
  ['the same with ?op=', at(CODE_11, '/AuthCodeSending.asmx?op=GetTokenDevice')],
];

function withSoapAction(action: string): RawRequest {
  const headers = [
    ['Content-Type', TEXT_XML],
    ['SOAPAction', action],
  ] as const;
  return { path: CODE_11.path, headers, body: CODE_11.body ?? '' };
}
function soapBody(body: string): RawRequest {
  return soap11('AuthCodeSending', 'AuthCode', envelope11(body));
}

const BODIES: readonly Way[] = [
  [
    'UTF-16',
    withType(
      CODE_11,
      'text/xml; charset=utf-16',
      Buffer.from(`\ufeff${String(CODE_11.body).replace('utf-8', 'utf-16')}`, 'utf16le'),
    ),
  ],
  [
    'chunks',
    withHeaders({ ...CODE, body: chunked(FORM.slice(0, 5), FORM.slice(5)) }, [
      'Transfer-Encoding',
      'chunked',
    ]),
  ],
  ['a form as XML', withType(CODE, TEXT_XML, FORM)],
  ['a form as JSON', withType(CODE, 'application/json', JSON.stringify(SENT))],
  [
    'a form in several parts',
    withType(
      CODE,
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="code"\r\n\r\n1234\r\n--x--\r\n`,
    ),
  ],
  ['no media type', { path: CODE.path, body: FORM }],
  ['XML at the address of a form', withType(CODE, TEXT_XML, String(CODE_11.body))],
  ['a form at the address of SOAP', at(CODE, '/AuthCodeSending.asmx')],
];

/** In these requests strangers lie about who they are, and where they come from. */
const IDENTITIES: readonly Way[] = [
  ...(
    [
      ['X-Forwarded-For', '10.1.2.3'],
      ['X-Forwarded-For', '10.1.2.3, 127.0.0.1'],
      ['Forwarded', 'for=10.1.2.3'],
      ['X-Real-IP', '10.1.2.3'],
      ['Client-IP', '10.1.2.3'],
      ['True-Client-IP', '10.1.2.3'],
      ['X-Api-Key', ''],
      ['X-Api-Key', ` ${KEY.toUpperCase()}`],
      ['X-Api-Key', KEY.slice(1)],
      ['X-Api-Key', `${KEY}, ${KEY}`],
      ['X-Api-Key', `${KEY}x`],
      ['X-Api-Key', hashKeyText()],
      ['X_Api_Key', KEY],
      ['X-Api-Keys', KEY],
      ['Authorization', `ApiKey ${KEY}`],
      ['Authorization', `Bearer ${KEY}`],
      ['Cookie', `X-Api-Key=${KEY}`],
      basic('reader', ''),
      basic('reader', 'wrong'),
      basic('READER', 'reader-password'),
      basic('reader ', 'reader-password'),
      basic('reader\u0000', 'reader-password'),
      basic('portal', KEY),
      basic('__proto__', 'x'),
      basic('constructor', 'x'),
      ['Authorization', 'Basic'],
      ['Authorization', 'Digest username="reader"'],
      ['Authorization', 'NTLM TlRMTVNTUAABAAAA'],
      ['X-Client-Cert', 'portal'],
      ['X-SSL-Client-Verify', 'SUCCESS'],
      ['X-Original-URL', '/PushNotificationMobile.asmx/GetTokenDevice'],
      ['X-Rewrite-URL', '/PushNotificationMobile.asmx/GetTokenDevice'],
      ['Host', '10.1.2.3'],
      ['Origin', 'http://localhost'],
    ] as const
  ).map(([name, value]): Way => [`${name}: ${value}`, withHeaders(CODE, [name, value])]),
  ['the key in the query', at(CODE, `${CODE.path}?X-Api-Key=${KEY}`)],
  ['the key twice, one wrong first', withHeaders(CODE, ['X-Api-Key', 'wrong'], PORTAL)],
  // Somebody known, who may call something else.
  ['the reader’s own credentials', withHeaders(CODE, basic('reader', 'reader-password'))],
  ['the portal’s key for notes', withHeaders(NOTE, PORTAL)],
];

function hashKeyText(): string {
  return hashKey(KEY);
}

/** The portal asks for a school that is not its own. */
const SCHOOLS: readonly Way[] = (
  [
    ['without tricks', STUDENTS],
    ['in capitals', students('HTTP://SCHOOL.EXAMPLE')],
    ['with a slash', students(`${OTHERS}/`)],
    ['with its port', students(`${OTHERS}:80`)],
    ['with a blank before', students(` ${OTHERS}`)],
    ['with a blank behind', students(`${OTHERS} `)],
    ['with a line end', students(`${OTHERS}\n`)],
    ['behind its own', students(`${OWN},${OTHERS}`)],
    ['as a user of its own', students(`http://village.example@school.example`)],
    [
      'twice, its own first',
      at(STUDENTS, `${students(OWN).path}&school_base_url=${encodeURIComponent(OTHERS)}`),
    ],
    ['twice, its own last', at(STUDENTS, `${STUDENTS.path}&school_base_url=${encodeURIComponent(OWN)}`)],
    [
      'by another case of the name',
      at(STUDENTS, `${students(OWN).path}&SCHOOL_BASE_URL=${encodeURIComponent(OTHERS)}`),
    ],
    [
      'in body and query',
      {
        ...form('NotificationNotes', 'GetStudentSchool', `school_base_url=${OTHERS}&show_active=Y`),
        path: students(OWN).path,
      },
    ],
    ['over SOAP', soap11('NotificationNotes', 'GetStudentSchool', envelope11(schoolCall(OTHERS)))],
    [
      'as character references',
      soap11('NotificationNotes', 'GetStudentSchool', envelope11(schoolCall('&#104;ttp://school.example'))),
    ],
    ['as CDATA', soap12('NotificationNotes', envelope12(schoolCall(`<![CDATA[${OTHERS}]]>`)))],
    [
      'around a comment',
      soap11(
        'NotificationNotes',
        'GetStudentSchool',
        envelope11(schoolCall('http://school<!-- -->.example')),
      ),
    ],
    [
      'twice over SOAP, its own first',
      soap11(
        'NotificationNotes',
        'GetStudentSchool',
        envelope11(
          call('GetStudentSchool', {
            school_base_url: `${OWN}</school_base_url><school_base_url>${OTHERS}`,
            show_active: 'Y',
          }),
        ),
      ),
    ],
  ] as const
).map(([what, request]): Way => [`another school ${what}`, withHeaders(request, PORTAL)]);

const WAYS = [...PATHS, ...METHODS, ...OPERATIONS, ...BODIES, ...IDENTITIES, ...SCHOOLS];

describe('the access file', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  const stored = () => storedMessages(databaseIn(join(services.folder, 'data')));
  beforeAll(async () => {
    const path = join(services.folder, 'access.json');
    const callers = {
      portal: {
        key: { header: PORTAL[0], secret: hashKey(KEY) },
        operations: ['GetStudentSchool'],
        schools: [OWN],
      },
      reader: {
        basic: { user: 'reader', secret: hashKey('reader-password') },
        operations: ['GetTokenDevice'],
      },
      inside: { networks: ['10.0.0.0/8'] },
      sender: { key: { header: 'X-Sender', secret: hashKey('key-of-the-sender') } },
    };
    writeFileSync(path, JSON.stringify({ callers, anonymous: { operations: ['GetTokenDevice'] } }));
    service = await services.start({ settings: { ACCESS_FILE: path, ALLOWED_ORIGINS: '*' } });
  });

  it('is attacked in more than a hundred ways', () => {
    expect(new Set(WAYS.map(([what]) => what)).size).toBe(WAYS.length);
    expect(WAYS.length).toBeGreaterThan(100);
  });

  it.each(WAYS)('blocks %s', async (_what, request) => {
    const answer = await exchange(service.port, request).catch(() => undefined);
    expect(answer?.text ?? '').not.toContain(STUDENT);
    expect(await stored()).toEqual([]);
  });

  it('is checked for each request of a connection, regardless of earlier ones', async () => {
    const connection = await RawConnection.open(service.port);
    const keep = (request: RawRequest): RawRequest => ({ ...request, keepAlive: true });
    const statuses: number[] = [];
    for (const request of [
      withHeaders(students(OWN), PORTAL),
      STUDENTS,
      CODE_GET,
      withHeaders(students(OWN), PORTAL),
    ]) {
      connection.send(keep(request));
      statuses.push((await connection.readFinal()).status);
    }
    connection.close();
    expect(statuses).toEqual([200, 401, 401, 200]);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['form', CODE],
    ['GET', CODE_GET],
    ['SOAP 1.1', CODE_11],
    ['SOAP 1.2', CODE_12],
  ])('admits authorized callers: a code over %s', async (_binding, request) => {
    const before = (await stored()).length;
    const other = JSON.parse(JSON.stringify(request).replaceAll('1234', String(1000 + before))) as RawRequest;
    const answer = await service.ask(withHeaders(other, ['X-Sender', 'key-of-the-sender']));
    expect(answer.status).toBe(200);
    expect(await stored()).toHaveLength(before + 1);
  });

  it('admits authorized callers: the students of any school', async () => {
    const answer = await service.ask(withHeaders(STUDENTS, ['X-Sender', 'key-of-the-sender']));
    expect(answer.text).toContain(STUDENT);
  });
});
