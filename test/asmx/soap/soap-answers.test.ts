// The wire contract, sections 2.1 to 2.3, 2.5 and 2.6.

import { emptyOf, ok11, ok12, resultOf, token11Is, token12Is } from '../../harness/asmx-answers';
import { call, envelope11, envelope12, soap11, soap12, token11, token12 } from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const reference = useReference();

/** Calls an operation by both SOAP versions and expects the same body element from both. */
async function expectBody(endpoint: string, operation: string, params: Record<string, string>, body: string) {
  const element = call(operation, params);
  expect(await reference.ask(soap11(endpoint, operation, envelope11(element)))).toEqual(ok11(body));
  expect(await reference.ask(soap12(endpoint, envelope12(element)))).toEqual(ok12(body));
}

function students(school: string) {
  return { school_base_url: school, show_active: '89' };
}

function record(index: number): string {
  const i = String(index);
  return (
    `<StudentInfo><id_student>S${i}</id_student><fullName>Student ${i}</fullName>` +
    `<id_device>DEV-${i}</id_device><ShowActive>Y</ShowActive></StudentInfo>`
  );
}

describe('an operation without a result', () => {
  it.each([
    ['AuthCodeSending', 'AuthCode', { code: '1', phone: '2' }],
    ['Scheduals', 'GetExamTableByExamId', { ExamId: 'E1' }],
    ['GetNoteType', 'GetStudentsNoteType', {}],
    ['NotificationNotes', 'SendMarkNotes', { id: '1', id_class: '2', baseUrlSchool: 'http://s' }],
  ])('answers a self-closed response element: %s %s', async (endpoint, operation, params) => {
    await expectBody(endpoint, operation, params, emptyOf(operation));
  });
});

describe('a string result', () => {
  it.each([
    ['any text', '7', resultOf('GetTokenDevice', 'TOKEN-7')],
    ['the empty string', 'empty', resultOf('GetTokenDevice', '')],
    ['null', 'null', emptyOf('GetTokenDevice')],
    ['three blanks', 'spaces', resultOf('GetTokenDevice', '   ')],
  ])('is written: %s', async (_what, id, body) => {
    await expectBody('PushNotificationMobile', 'GetTokenDevice', { id }, body);
  });

  it.each([
    [
      'markup, quotes and characters beyond the BMP',
      'special',
      '&lt;a&gt;&amp;"\'\u0130\u015F\u{1F600} ]]&gt;',
    ],
    ['neither tab, CR nor LF', 'ws', ' lead\ttab\r\ncrlf\rcr\nlf trail '],
    ['other control characters as references', 'ctl', 'a&#x1;b'],
    ['neither non-breaking space, NEL nor line separator', 'nbsp', 'a\u00A0b\u0085c\u2028d'],
  ])('escapes %s', async (_what, id, markup) => {
    await expectBody('PushNotificationMobile', 'GetTokenDevice', { id }, resultOf('GetTokenDevice', markup));
  });

  it('that looks like a CDATA section is written as text', async () => {
    const request = token11('&lt;![CDATA[x]]&gt;');
    expect(await reference.ask(request)).toEqual(token11Is('TOKEN-<![CDATA[x]]>'));
  });

  it('of 100,000 characters arrives complete', async () => {
    const id = 'ş€x'.repeat(33_334);
    expect(await reference.ask(token12(id))).toEqual(token12Is(`TOKEN-${id}`));
  });
});

describe('a list in a result', () => {
  it.each([
    ['no records', 'empty', ''],
    ['one record', 'one', record(1)],
    ['two records', 'http://s', record(1) + record(2)],
    ['thirty records', '30', Array.from({ length: 30 }, (_, index) => record(index + 1)).join('')],
  ])('contains %s', async (_what, school, markup) => {
    const body = resultOf('GetStudentSchool', markup);
    await expectBody('NotificationNotes', 'GetStudentSchool', students(school), body);
  });

  it('omits a null field, closes an empty one and marks a null record', async () => {
    const markup =
      '<StudentInfo><id_student>1</id_student><id_device /><ShowActive>Y</ShowActive></StudentInfo>' +
      '<StudentInfo xsi:nil="true" />';
    const body = resultOf('GetStudentSchool', markup);
    await expectBody('NotificationNotes', 'GetStudentSchool', students('nullfields'), body);
  });

  it('is omitted with its element if null', async () => {
    await expectBody('NotificationNotes', 'GetStudentSchool', students('null'), emptyOf('GetStudentSchool'));
  });

  it('escapes the fields', async () => {
    const markup =
      '<StudentInfo><id_student>&lt;1&gt;&amp;"\'</id_student>' +
      '<fullName>\u0130lker \u015Eahin \u{1F600}</fullName>' +
      '<id_device> a\tb\r\nc\rd\ne </id_device><ShowActive>]]&gt;</ShowActive></StudentInfo>';
    const body = resultOf('GetStudentSchool', markup);
    await expectBody('NotificationNotes', 'GetStudentSchool', students('special'), body);
  });
});

describe('headers of an answer', () => {
  it.each([
    ['a result', token11('7')],
    ['a fault', token11('throw')],
    ['a refusal', token11('&')],
    ['a SOAP 1.2 result', token12('7')],
  ])('state the length and use no transfer coding: %s', async (_what, request) => {
    const response = await reference.send(request);
    expect(response.header('Content-Length')).toBe(String(response.body.length));
    expect(response.header('Transfer-Encoding')).toBeUndefined();
    expect(response.header('ETag')).toBeUndefined();
  });
});
