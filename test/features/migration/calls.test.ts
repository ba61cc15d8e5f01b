import { type Call, parseCall, Sends } from '../../../src/features/migration/calls';
import type { HttpRequest } from '../../../src/features/migration/messages';

const ENDPOINTS = [
  { file: 'NotificationNotes.asmx', reads: ['GetStudentSchool'], sends: ['SendMarkNotes'] },
  { file: 'Scheduals.asmx', reads: ['GetExamTableByExamId'], sends: [] },
];
const SENDS = new Sends(ENDPOINTS);
const NS11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const NS12 = 'http://www.w3.org/2003/05/soap-envelope';

const envelope = (operation: string, namespace = NS11) =>
  `<?xml version="1.0"?><!-- <SendMarkNotes/> --><e:Envelope xmlns:e="${namespace}"><e:Header><a/></e:Header><e:Body><${operation} xmlns="urn:a"/></e:Body></e:Envelope>`;

function asked(
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): HttpRequest {
  return { method, target, headers: Object.entries(headers), body: Buffer.from(body) };
}

const soap = (body: string | Buffer, headers: Record<string, string> = {}, file = 'NotificationNotes') =>
  asked('POST', `/${file}.asmx`, { 'Content-Type': 'text/xml; charset=utf-8', ...headers }, body);

const found = (request: HttpRequest) => {
  const call = parseCall(request);
  return [call.endpoint, call.operation, call.binding, SENDS.classify(call)].join(' ');
};

describe('the call that a request makes', () => {
  it.each<[string, HttpRequest, string]>([
    [
      'GET',
      asked('GET', '/app/Scheduals.asmx/GetExamTableByExamId?a=/b.asmx'),
      'scheduals.asmx GetExamTableByExamId get read',
    ],
    [
      'POST',
      asked('POST', '//NOTIFICATIONNOTES.asmx/GetStudentSchool'),
      'notificationnotes.asmx GetStudentSchool post read',
    ],
    [
      'another method',
      asked('PUT', '/Scheduals.asmx/GetExamTableByExamId'),
      'scheduals.asmx GetExamTableByExamId other read',
    ],
    ['a description', asked('GET', '/NotificationNotes.asmx?WSDL'), 'notificationnotes.asmx  document read'],
    ['OPTIONS', asked('OPTIONS', '/NotificationNotes.asmx'), 'notificationnotes.asmx  document read'],
    [
      'SOAP 1.1',
      soap(envelope('GetStudentSchool'), { SOAPAction: '"urn:a/GetStudentSchool"' }),
      'notificationnotes.asmx GetStudentSchool soap11 read',
    ],
    [
      'SOAP 1.1 by its body',
      soap(envelope('GetStudentSchool')),
      'notificationnotes.asmx GetStudentSchool soap11 read',
    ],
    [
      'SOAP 1.2',
      soap(envelope('GetStudentSchool', NS12), {
        'Content-Type': 'application/soap+xml; action="urn:a/GetStudentSchool"',
      }),
      'notificationnotes.asmx GetStudentSchool soap12 read',
    ],
    [
      'SOAP 1.2 by its body, whatever its action',
      soap(
        envelope('GetExamTableByExamId', NS12),
        { 'Content-Type': 'application/soap+xml; action="urn:a/What"' },
        'Scheduals',
      ),
      'scheduals.asmx GetExamTableByExamId soap12 read',
    ],
    [
      'UTF-16',
      soap(Buffer.from(`\ufeff${envelope('GetStudentSchool')}`, 'utf16le')),
      'notificationnotes.asmx GetStudentSchool soap11 read',
    ],
    [
      'a sending operation by GET',
      asked('GET', '/NotificationNotes.asmx/SendMarkNotes?id=1'),
      'notificationnotes.asmx SendMarkNotes get send',
    ],
    [
      'a sending operation, escaped',
      asked('GET', '/NotificationNotes%2Easmx/%53endMarkNotes'),
      'notificationnotes.asmx SendMarkNotes get send',
    ],
    [
      'a sending operation by SOAP',
      soap(envelope('SendMarkNotes')),
      'notificationnotes.asmx SendMarkNotes soap11 send',
    ],
    [
      'an unknown operation beside a sending one',
      asked('POST', '/NotificationNotes.asmx/sendmarknotes'),
      'notificationnotes.asmx sendmarknotes post send',
    ],
    [
      'no operation beside a sending one',
      asked('GET', '/NotificationNotes.asmx/'),
      'notificationnotes.asmx  get send',
    ],
    [
      'another method beside a sending operation',
      asked('PUT', '/NotificationNotes.asmx'),
      'notificationnotes.asmx  other send',
    ],
    [
      'an unknown operation without sending ones',
      asked('POST', '/Scheduals.asmx/What'),
      'scheduals.asmx What post read',
    ],
    [
      'an unreadable call without sending operations',
      soap('<', {}, 'Scheduals'),
      'scheduals.asmx  soap11 read',
    ],
    ['other paths', asked('GET', '/other/Payments.asmx/Pay'), 'payments.asmx Pay get foreign'],
    ['no endpoint', asked('GET', '/'), '  document foreign'],
    [
      'a detour in the path',
      asked('GET', '/Scheduals.asmx/../NotificationNotes.asmx/SendMarkNotes'),
      '  document foreign',
    ],
    ['two endpoints', asked('POST', '/Scheduals.asmx/NotificationNotes.asmx'), '  other foreign'],
    [
      'what IIS reads as a slash',
      asked('GET', '/Scheduals.asmx\\..\\NotificationNotes.asmx'),
      '  document foreign',
    ],
  ])('is identified: %s', (_, request, expected) => {
    expect(found(request)).toBe(expected);
  });

  it.each<[string, HttpRequest]>([
    ['head and body disagree', soap(envelope('GetStudentSchool'), { SOAPAction: '"urn:a/SendMarkNotes"' })],
    ['body and head disagree', soap(envelope('SendMarkNotes'), { SOAPAction: '"urn:a/GetStudentSchool"' })],
    [
      'two headers disagree',
      {
        ...soap(envelope('GetStudentSchool')),
        headers: [
          ['SOAPAction', 'GetStudentSchool'],
          ['soapaction', 'SendMarkNotes'],
        ],
      },
    ],
    ['the body cannot be read', soap('<a', { SOAPAction: '"urn:a/GetStudentSchool"' })],
    ['the body has a document type', soap(envelope('GetStudentSchool').replace('<!--', '<!DOCTYPE a><!--'))],
    [
      'the operation is in the header',
      soap(envelope('SendMarkNotes').replace('<a/>', '<e:Body><GetStudentSchool/></e:Body>')),
    ],
    [
      'another body comes first',
      soap(envelope('SendMarkNotes').replace('<e:Header>', '<Body><GetStudentSchool/></Body><e:Header>')),
    ],
    ['the body is empty', soap(envelope('a').replace(/<a xmlns.*?\/>/, ''))],
    ['it is escaped in the action', soap(envelope('GetStudentSchool'), { SOAPAction: '%53endMarkNotes' })],
  ])('counts as sending if %s', (_, request) => {
    expect(SENDS.classify(parseCall(request))).toBe('send');
  });

  it('has an operation name only if it is known', () => {
    const call = (target: string): Call => parseCall(asked('GET', target));
    expect(SENDS.findOperation(call('/Scheduals.asmx/GetExamTableByExamId'))).toBe('GetExamTableByExamId');
    expect(SENDS.findOperation(call('/Scheduals.asmx/+905551112233'))).toBe('');
    expect(SENDS.findOperation(call('/Scheduals.asmx/GetStudentSchool'))).toBe('');
  });
});
