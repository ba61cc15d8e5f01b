import {
  call,
  envelope11,
  form,
  formatRequest,
  get,
  type RawRequest,
  type RawResponse,
  soap11,
  withHeaders,
} from '../../../scripts/harness';
import type { SoakRequest } from './clients';

/** The text stands in the body of the response; where it is empty, so is the body. */
type BadRequest = readonly [title: string, request: RawRequest, status: number, text: string];

const TOKENS = 'PushNotificationMobile';
const LISTS = 'NotificationNotes';
const SCHOOL = 'http://s00030-000.example';
const TOKEN = call('GetTokenDevice', { id: 'D000001' });
const BAD_FLAG = call('GetStudentSchool', { school_base_url: SCHOOL, show_active: '-1' });
/** More than the service takes, and most of it never sent. */
const TOO_LONG = 5_000_000;

const token = (body: string): RawRequest => soap11(TOKENS, 'GetTokenDevice', body);

const BAD: readonly BadRequest[] = [
  ['XML that breaks off', token(envelope11(TOKEN).slice(0, -20)), 400, ''],
  [
    'a document type',
    token(`<!DOCTYPE a [<!ENTITY b "c">]>${envelope11(TOKEN).replace(/^<\?.*?\?>/, '')}`),
    400,
    '',
  ],
  [
    'XML nested too deep',
    token(envelope11('<x>'.repeat(100) + '</x>'.repeat(100))),
    500,
    'nested deeper than 64 elements',
  ],
  [
    'an unknown SOAPAction',
    soap11(TOKENS, 'Nothing', envelope11(TOKEN)),
    500,
    'did not recognize the value of HTTP Header SOAPAction: http://tempuri.org/Nothing.',
  ],
  ['a wrong media type', { ...token(envelope11(TOKEN)), headers: [['Content-Type', 'text/plain']] }, 415, ''],
  ['GET without its parameter', get(TOKENS, 'GetTokenDevice'), 500, 'Missing parameter: id.'],
  [
    'POST with a bad show_active',
    form(LISTS, 'GetStudentSchool', `school_base_url=${SCHOOL}&show_active=YY`),
    500,
    'Cannot convert YY to System.Char.',
  ],
  [
    'SOAP with a bad show_active',
    soap11(LISTS, 'GetStudentSchool', envelope11(BAD_FLAG)),
    500,
    'Input string was not in a correct format.',
  ],
  ['an unknown path', { path: '/Nothing.asmx' }, 404, 'The resource cannot be found.'],
  ['a body that is too long', tooLong(), 500, 'Maximum request length exceeded.'],
];

const WHOLE = bytesOf(token(envelope11(TOKEN)));
const CUT: SoakRequest = {
  title: 'a connection cut in the middle of a body',
  bytes: WHOLE.subarray(0, WHOLE.length - TOKEN.length),
  check: undefined,
};

/** Requests that the service must refuse, each with the response it must give, and one that breaks off. */
export const BAD_REQUESTS: readonly SoakRequest[] = [
  ...BAD.map(([title, request, status, text]) => ({
    title,
    bytes: bytesOf(request),
    check: (response: RawResponse) => {
      const body = response.text;
      if (response.status === status && (text === '' ? body === '' : body.includes(text))) return;
      throw new Error(
        `expected ${String(status)} "${text}", got ${String(response.status)} ${body.slice(0, 700)}`,
      );
    },
  })),
  CUT,
];

function tooLong(): RawRequest {
  const request = token('<soap:Envelope');
  return withHeaders(request, ['Content-Length', String(TOO_LONG)]);
}

function bytesOf(request: RawRequest): Buffer {
  return formatRequest({ ...request, keepAlive: true }, 'soak');
}
