import {
  type RawResponse,
  call,
  envelope11,
  form,
  formatRequest,
  get,
  NAMESPACE,
  type RawRequest,
  soap11,
  TEXT_XML,
} from '../../../scripts/harness';
import type { SoakRequest } from './clients';

interface BadRequest {
  readonly title: string;
  readonly request: RawRequest;
  readonly status: number;
  /** Stands in the body of the answer; where it is empty, so is the body. */
  readonly text: string;
}

const TOKENS = 'PushNotificationMobile';
const LISTS = 'NotificationNotes';
const SOAP_ACTION = `"${NAMESPACE}GetTokenDevice"`;
const TOKEN = call('GetTokenDevice', { id: 'D000001' });
/** More than the service takes, and most of it never sent. */
const TOO_LONG = 5_000_000;

const token = (body: string): RawRequest => soap11(TOKENS, 'GetTokenDevice', body);

const BAD: readonly BadRequest[] = [
  {
    title: 'XML that breaks off',
    request: token(envelope11(TOKEN).slice(0, -20)),
    status: 400,
    text: '',
  },
  {
    title: 'a document type',
    request: token(`<!DOCTYPE a [<!ENTITY b "c">]>${envelope11(TOKEN).replace(/^<\?.*?\?>/, '')}`),
    status: 400,
    text: '',
  },
  {
    title: 'XML nested too deep',
    request: token(envelope11('<x>'.repeat(100) + '</x>'.repeat(100))),
    status: 500,
    text: 'nested deeper than 64 elements',
  },
  {
    title: 'an unknown SOAPAction',
    request: soap11(TOKENS, 'Nothing', envelope11(TOKEN)),
    status: 500,
    text: 'did not recognize the value of HTTP Header SOAPAction: http://tempuri.org/Nothing.',
  },
  {
    title: 'a wrong media type',
    request: {
      ...token(envelope11(TOKEN)),
      headers: [
        ['Content-Type', TEXT_XML.replace('text/xml', 'text/plain')],
        ['SOAPAction', SOAP_ACTION],
      ],
    },
    status: 415,
    text: '',
  },
  {
    title: 'GET without its parameter',
    request: get(TOKENS, 'GetTokenDevice'),
    status: 500,
    text: 'Missing parameter: id.',
  },
  {
    title: 'POST with a bad show_active',
    request: form(LISTS, 'GetStudentSchool', 'school_base_url=http://s00030-000.example&show_active=YY'),
    status: 500,
    text: 'Cannot convert YY to System.Char.',
  },
  {
    title: 'SOAP with a bad show_active',
    request: soap11(
      LISTS,
      'GetStudentSchool',
      envelope11(
        call('GetStudentSchool', { school_base_url: 'http://s00030-000.example', show_active: '-1' }),
      ),
    ),
    status: 500,
    text: 'Input string was not in a correct format.',
  },
  {
    title: 'an unknown path',
    request: { path: '/Nothing.asmx' },
    status: 404,
    text: 'The resource cannot be found.',
  },
  {
    title: 'a body that is too long',
    request: {
      ...token('<soap:Envelope'),
      headers: [
        ['Content-Type', TEXT_XML],
        ['SOAPAction', SOAP_ACTION],
        ['Content-Length', String(TOO_LONG)],
      ],
    },
    status: 500,
    text: 'Maximum request length exceeded.',
  },
];

const WHOLE = bytesOf(token(envelope11(TOKEN)));
const CUT: SoakRequest = {
  title: 'a connection cut in the middle of a body',
  bytes: WHOLE.subarray(0, WHOLE.length - TOKEN.length),
  check: undefined,
};

/** Requests that the service must refuse, each with the answer it must give, and one that breaks off. */
export const BAD_REQUESTS: readonly SoakRequest[] = [
  ...BAD.map((bad) => ({
    title: bad.title,
    bytes: bytesOf(bad.request),
    check: (response: RawResponse) => {
      checkRefusal(bad, response);
    },
  })),
  CUT,
];

function bytesOf(request: RawRequest): Buffer {
  return formatRequest({ ...request, keepAlive: true }, 'soak');
}

function checkRefusal({ status, text }: BadRequest, response: RawResponse): void {
  const body = response.text;
  if (response.status === status && (text === '' ? body === '' : body.includes(text))) return;
  throw new Error(
    `expected ${String(status)} "${text}", got ${String(response.status)} ${body.slice(0, 700)}`,
  );
}
