// The wire contract, section 2.4, and the handler errors of section 4.

import { FORM_VOID, formError, formOk, formTokenIs, FRESH } from '../../harness/asmx-answers';
import { form, get, NAMESPACE } from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const reference = useReference();

const XSD = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** Calls an operation by HTTP GET and HTTP POST and expects the same answer from both. */
async function expectBoth(endpoint: string, operation: string, pairs: string, answer: unknown) {
  expect(await reference.ask(get(endpoint, operation, pairs))).toEqual(answer);
  expect(await reference.ask(form(endpoint, operation, pairs))).toEqual(answer);
}

function list(records: string): string {
  return `<ArrayOfStudentInfo ${XSD} ${XSI} xmlns="${NAMESPACE}">\n${records}</ArrayOfStudentInfo>`;
}

function record(index: number): string {
  const i = String(index);
  return (
    `  <StudentInfo>\n    <id_student>S${i}</id_student>\n    <fullName>Student ${i}</fullName>\n` +
    `    <id_device>DEV-${i}</id_device>\n    <ShowActive>Y</ShowActive>\n  </StudentInfo>\n`
  );
}

describe('an operation without a result', () => {
  it.each([
    ['AuthCodeSending', 'AuthCode', 'code=1&phone=2'],
    ['Scheduals', 'GetExamTableByExamId', 'ExamId=E1'],
    ['GetNoteType', 'GetStudentsNoteType', ''],
    ['NotificationNotes', 'SendMarkNotes', 'id=1&id_class=2&baseUrlSchool=http%3A%2F%2Fs'],
  ])('answers 200 with no body and no content type: %s %s', async (endpoint, operation, pairs) => {
    await expectBoth(endpoint, operation, pairs, FORM_VOID);
    const response = await reference.send(get(endpoint, operation, pairs));
    expect(response.header('Content-Length')).toBe('0');
  });
});

describe('a string result', () => {
  it.each([
    ['any text', 'id=7', '<string xmlns="http://tempuri.org/">TOKEN-7</string>'],
    ['the empty string', 'id=empty', '<string xmlns="http://tempuri.org/" />'],
    ['null', 'id=null', `<string ${XSD} ${XSI} xsi:nil="true" xmlns="http://tempuri.org/" />`],
    ['blanks', 'id=spaces', '<string xmlns="http://tempuri.org/">   </string>'],
    ['a control character', 'id=ctl', '<string xmlns="http://tempuri.org/">a&#x1;b</string>'],
    [
      'markup and characters beyond the BMP',
      'id=special',
      '<string xmlns="http://tempuri.org/">&lt;a&gt;&amp;"\'\u0130\u015F\u{1F600} ]]&gt;</string>',
    ],
  ])('is written: %s', async (_what, pairs, root) => {
    await expectBoth('PushNotificationMobile', 'GetTokenDevice', pairs, formOk(root));
  });

  it('keeps its own line endings, whatever those of the document', async () => {
    const response = await reference.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=ws'));
    expect(response.body).toBe(
      '<?xml version="1.0" encoding="utf-8"?>\r\n' +
        '<string xmlns="http://tempuri.org/"> lead\ttab\r\ncrlf\rcr\nlf trail </string>',
    );
  });
});

describe('a list result', () => {
  it.each([
    ['one', record(1)],
    ['anything', record(1) + record(2)],
    ['30', Array.from({ length: 30 }, (_, index) => record(index + 1)).join('')],
    [
      'nullfields',
      '  <StudentInfo>\n    <id_student>1</id_student>\n    <id_device />\n' +
        '    <ShowActive>Y</ShowActive>\n  </StudentInfo>\n  <StudentInfo xsi:nil="true" />\n',
    ],
  ])('is indented, with CRLF line endings: %s', async (school, records) => {
    const pairs = `school_base_url=${school}&show_active=Y`;
    await expectBoth('NotificationNotes', 'GetStudentSchool', pairs, formOk(list(records)));
  });

  it.each([
    ['empty', `<ArrayOfStudentInfo ${XSD} ${XSI} xmlns="${NAMESPACE}" />`],
    ['null', `<ArrayOfStudentInfo ${XSD} ${XSI} xsi:nil="true" xmlns="${NAMESPACE}" />`],
  ])('is a single empty element without records: %s', async (school, root) => {
    const pairs = `school_base_url=${school}&show_active=Y`;
    await expectBoth('NotificationNotes', 'GetStudentSchool', pairs, formOk(root));
  });

  it('escapes the fields and keeps their line endings', async () => {
    const { body } = await reference.ask(
      get('NotificationNotes', 'GetStudentSchool', 'school_base_url=special&show_active=Y'),
    );
    expect(body).toContain('\r\n    <id_student>&lt;1&gt;&amp;"\'</id_student>\r\n');
    expect(body).toContain('<fullName>\u0130lker \u015Eahin \u{1F600}</fullName>');
    expect(body).toContain('<id_device> a\tb\r\nc\rd\ne </id_device>');
    expect(body).toContain('<ShowActive>]]&gt;</ShowActive>');
  });
});

describe('an error of the handler', () => {
  it.each([
    ['throw', 'boom from handler'],
    ['throw-inner', 'outer message ---> inner message'],
    ['throw-arg', 'Value is bad.\r\nParameter name: code'],
    ['throw-soap', 'custom soap message'],
    ['throw-soap-server', 'custom server message'],
    ['throw-soap-detail', 'with detail'],
  ])('answers 500 with only its messages: %s', async (trigger, text) => {
    const error = formError(text, FRESH);
    await expectBoth('AuthCodeSending', 'AuthCode', `code=${trigger}&phone=1`, error);
    await expectBoth('PushNotificationMobile', 'GetTokenDevice', `id=${trigger}`, error);
  });
});

it('answers the same over GET and POST', async () => {
  await expectBoth('PushNotificationMobile', 'GetTokenDevice', 'id=1', formTokenIs('TOKEN-1'));
});
