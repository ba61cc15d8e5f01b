import {
  call,
  envelope11,
  envelope12,
  form,
  get,
  NAMESPACE,
  type RawRequest,
  soap11,
  soap12,
} from '../../../scripts/harness';

const HEADER = '<h:Foo xmlns:h="urn:h" soap:mustUnderstand="0">x</h:Foo>';
const MARK = call('SendMarkNotes', { id: '1', id_class: '2', baseUrlSchool: 'http://s' });
const SCHOOL = call('GetStudentSchool', { school_base_url: 'echo', show_active: '89' });
const TOKEN = call('GetTokenDevice', { id: 'ş &amp; <![CDATA[<x>]]>' });

/** Requests that the service answers with 200, before they are mutated. */
export const GOOD_REQUESTS: readonly [RawRequest, ...RawRequest[]] = [
  soap11('PushNotificationMobile', 'GetTokenDevice', envelope11(TOKEN, HEADER)),
  soap11('NotificationNotes', 'GetStudentSchool', envelope11(SCHOOL)),
  soap11('NotificationNotes', 'SendMarkNotes', envelope11(MARK)),
  soap11('AuthCodeSending', 'AuthCode', envelope11(call('AuthCode', { code: '1', phone: '+90555' }))),
  soap12('PushNotificationMobile', envelope12(TOKEN, HEADER)),
  soap12('PushNotificationMobile', envelope12(TOKEN), `; action="${NAMESPACE}GetTokenDevice"`),
  soap12('NotificationNotes', envelope12(SCHOOL)),
  soap12('GetNoteType', envelope12(call('GetStudentsNoteType'))),
  soap12('Scheduals', envelope12(call('GetExamTableByExamId', { ExamId: 'E1' }))),
  form('PushNotificationMobile', 'GetTokenDevice', 'id=%C5%9F+%u0130%26'),
  form('NotificationNotes', 'GetStudentSchool', 'school_base_url=echo&show_active=Y'),
  form('AuthCodeSending', 'AuthCode', 'code=1&phone=%2B90555'),
  get('PushNotificationMobile', 'GetTokenDevice', 'id=%C5%9F+%u0130%26'),
  get('NotificationNotes', 'GetStudentSchool', 'school_base_url=one&show_active=Y'),
  get('GetNoteType', 'GetStudentsNoteType'),
  { path: '/NotificationNotes.asmx?wsdl' },
  { path: '/Scheduals.asmx?disco' },
  { path: '/AuthCodeSending.asmx?op=AuthCode' },
];
