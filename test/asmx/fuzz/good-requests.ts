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
  tokenMessage11,
  tokenMessage12,
} from '../../../scripts/harness';

const HEADER = '<h:Foo xmlns:h="urn:h" soap:mustUnderstand="0">x</h:Foo>';
const MARK = call('SendMarkNotes', { id: '1', id_class: '2', baseUrlSchool: 'http://s' });
const SCHOOL = call('GetStudentSchool', { school_base_url: 'echo', show_active: '89' });
const TOKEN = call('GetTokenDevice', { id: 'ş &amp; <![CDATA[<x>]]>' });

const ENTRY =
  '<subject>Ders &lt;1&gt;</subject><date>2026-11-22T08:30:00.5+03:00</date><minutes>40</minutes><weight>0.10</weight>' +
  '<oral>1</oral><grade>Middle</grade><average xsi:nil="true" />';
const EXAM =
  '<EchoExam xmlns="http://tempuri.org/"><v><id>E-1</id><key>01234567-89ab-cdef-0123-456789abcdef</key>' +
  `<entries><Entry number="-3">${ENTRY}</Entry><Entry xsi:nil="true" /></entries><tags><string>a</string><string /></tags>` +
  '<paper>AAH+/w==</paper><total>9007199254740993</total><ratio>-1.5E-07</ratio><closed xsi:nil="1" /></v></EchoExam>';
const INTS = '<EchoInts xmlns="http://tempuri.org/"><v><int>1</int><int>-2147483648</int></v></EchoInts>';

/** Requests that the service answers with 200, before they are mutated. */
export const GOOD_REQUESTS: readonly [RawRequest, ...RawRequest[]] = [
  tokenMessage11(envelope11(TOKEN, HEADER)),
  soap11('NotificationNotes', 'GetStudentSchool', envelope11(SCHOOL)),
  soap11('NotificationNotes', 'SendMarkNotes', envelope11(MARK)),
  soap11('AuthCodeSending', 'AuthCode', envelope11(call('AuthCode', { code: '1', phone: '+90555' }))),
  tokenMessage12(envelope12(TOKEN, HEADER)),
  tokenMessage12(envelope12(TOKEN), `; action="${NAMESPACE}GetTokenDevice"`),
  soap12('NotificationNotes', envelope12(SCHOOL)),
  soap12('GetNoteType', envelope12(call('GetStudentsNoteType'))),
  soap12('Scheduals', envelope12(call('GetExamTableByExamId', { ExamId: 'E1' }))),
  soap11('Types', 'EchoExam', envelope11(EXAM)),
  soap12('Types', envelope12(EXAM)),
  soap12('Types', envelope12(INTS)),
  soap11('Types', 'EchoDecimal', envelope11(call('EchoDecimal', { v: ' -79228162514264337593543950335 ' }))),
  form('Types', 'EchoDateTime', 'v=11%2F22%2F2026+8%3A30+PM'),
  get('Types', 'EchoInts', 'v=1&v=-2'),
  get('Types', 'EchoBytes', 'v=0&v=255'),
  get('Types', 'EchoGrade', 'v=High'),
  get('Types', 'EchoDouble', 'v=1%2C000.5e-7'),
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
