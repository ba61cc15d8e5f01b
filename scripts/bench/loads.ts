import { DEVICES, schoolsWith, tokenOf } from './school-data';

/** One request, and what its answer must hold. */
export interface Case {
  /** Goes into the request in the place of the variable part. */
  readonly value: string;
  /** Stands in the body of the answer, near its end; of one length in all cases of a load. */
  readonly expected: string;
}

export interface Load {
  readonly title: string;
  /** What goes out before and after the value of the case; the Content-Length fits values of one width. */
  readonly before: string;
  readonly after: string;
  /** The case of the n-th request; cases of neighbouring requests differ. */
  readonly caseOf: (n: number) => Case;
  /** Records that the answer must hold, or undefined where it is no list. */
  readonly records?: number;
  /** Another library cannot be asked so. */
  readonly oursOnly?: true;
}

const NAMESPACE = 'http://tempuri.org/';
const TOKEN_PATH = '/PushNotificationMobile.asmx';
const LISTS_PATH = '/NotificationNotes.asmx';
const CODES_PATH = '/AuthCodeSending.asmx';
const FORM = 'application/x-www-form-urlencoded';
/** Coprime to the number of devices: every device is asked for before one comes again. */
const STRIDE = 7919;

const tokenCase = (n: number): Case => {
  const device = itemAt(DEVICES, n * STRIDE);
  return { value: device, expected: tokenOf(device) };
};

function listCase(students: number): (n: number) => Case {
  const cases = schoolsWith(students).map(({ url, students }): Case => ({
    value: url,
    expected: `${students.at(-1)?.device ?? ''}<`,
  }));
  return (n) => itemAt(cases, n);
}

/** Begins again where the list ends. */
function itemAt<T>(list: readonly T[], n: number): T {
  const item = list[n % list.length];
  if (item === undefined) throw new Error('An empty list has no items.');
  return item;
}

/** A number of its own for every request of a day of running. */
const codeCase = (n: number): Case => ({
  value: `+905${String(n % 1_000_000_000).padStart(9, '0')}`,
  expected: 'AuthCodeResponse',
});

interface Parts {
  readonly before: string;
  readonly after: string;
}

/** A place for the value, with something of its width. */
type Template = (value: string) => string;

export const LOADS: Readonly<Record<string, Load>> = {
  'token-soap11': {
    title: 'token, SOAP 1.1',
    ...soap11(TOKEN_PATH, 'GetTokenDevice', tokenCall, tokenCase),
    caseOf: tokenCase,
  },
  'token-soap12': {
    title: 'token, SOAP 1.2',
    ...soap12(TOKEN_PATH, 'GetTokenDevice', tokenCall, tokenCase),
    caseOf: tokenCase,
  },
  'token-get': {
    title: 'token, GET',
    ...splitAtValue((id) => `GET ${TOKEN_PATH}/GetTokenDevice?id=${id} HTTP/1.1\r\nHost: bench\r\n\r\n`),
    caseOf: tokenCase,
    oursOnly: true,
  },
  'token-post': {
    title: 'token, POST',
    ...post(`${TOKEN_PATH}/GetTokenDevice`, [`Content-Type: ${FORM}`], (id) => `id=${id}`, tokenCase),
    caseOf: tokenCase,
    oursOnly: true,
  },
  'students-30': listLoad('30 students, SOAP 1.1', 30),
  'students-1000': listLoad('1,000 students, SOAP 1.1', 1_000),
  'auth-code': {
    title: 'AuthCode, SOAP 1.1',
    ...soap11(CODES_PATH, 'AuthCode', codeCall, codeCase),
    caseOf: codeCase,
  },
};

function listLoad(title: string, students: number): Load {
  const caseOf = listCase(students);
  return { title, ...soap11(LISTS_PATH, 'GetStudentSchool', listCall, caseOf), caseOf, records: students };
}

function tokenCall(id: string): string {
  return `<GetTokenDevice xmlns="${NAMESPACE}"><id>${id}</id></GetTokenDevice>`;
}

function listCall(school: string): string {
  return `<GetStudentSchool xmlns="${NAMESPACE}"><school_base_url>${school}</school_base_url><show_active>89</show_active></GetStudentSchool>`;
}

function codeCall(phone: string): string {
  return `<AuthCode xmlns="${NAMESPACE}"><code>482913</code><phone>${phone}</phone></AuthCode>`;
}

/** As .NET proxies write it. */
function envelope(namespace: string, call: string): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${namespace}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">` +
    `<soap:Body>${call}</soap:Body></soap:Envelope>`
  );
}

function soap11(path: string, operation: string, call: Template, caseOf: Load['caseOf']): Parts {
  const headers = ['Content-Type: text/xml; charset=utf-8', `SOAPAction: "${NAMESPACE}${operation}"`];
  const body: Template = (value) => envelope('http://schemas.xmlsoap.org/soap/envelope/', call(value));
  return post(path, headers, body, caseOf);
}

function soap12(path: string, operation: string, call: Template, caseOf: Load['caseOf']): Parts {
  const headers = [`Content-Type: application/soap+xml; charset=utf-8; action="${NAMESPACE}${operation}"`];
  const body: Template = (value) => envelope('http://www.w3.org/2003/05/soap-envelope', call(value));
  return post(path, headers, body, caseOf);
}

function post(path: string, headers: readonly string[], body: Template, caseOf: Load['caseOf']): Parts {
  const length = String(body(caseOf(0).value).length);
  const head = [`POST ${path} HTTP/1.1`, 'Host: bench', ...headers, `Content-Length: ${length}`].join('\r\n');
  return splitAtValue((value) => `${head}\r\n\r\n${body(value)}`);
}

function splitAtValue(request: Template): Parts {
  const [before = '', after = ''] = request('\0').split('\0');
  return { before, after };
}
