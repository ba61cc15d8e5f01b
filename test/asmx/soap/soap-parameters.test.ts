// The wire contract, section 5, string parameters.

import {
  emptyAnswer,
  emptyOf,
  fault11,
  ok11,
  resultOf,
  token11Is,
  token12Is,
} from '../../harness/asmx-answers';
import { startAsmxServer } from '../../harness/asmx-server';
import { type RecordedCall, recordingEndpoints } from '../../harness/recording-endpoints';
import {
  call,
  envelope11,
  envelope12,
  NAMESPACE,
  soap11,
  soap12,
  TEXT_XML,
  token11,
  token12,
  tokenMessage11,
  tokenMessage12,
} from '../../../scripts/harness';
import { useReference, useServer } from '../../harness/use-server';

const reference = useReference();

function hex(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => unit.toString(16).padStart(4, '0')).join('');
}

/** Sends markup as the inside of the operation element. */
async function expectToken(inside: string, token: string) {
  const element = `<GetTokenDevice xmlns="${NAMESPACE}">${inside}</GetTokenDevice>`;
  const request = tokenMessage11(envelope11(element));
  expect(await reference.ask(request)).toEqual(token11Is(token));
  expect(await reference.ask(tokenMessage12(envelope12(element)))).toEqual(token12Is(token));
}

describe('a string parameter', () => {
  it.each([
    ['absent', '', 'ID-WAS-NULL'],
    ['empty', '<id></id>', 'ID-WAS-EMPTY'],
    ['self-closed', '<id/>', 'ID-WAS-EMPTY'],
    ['nil', '<id xsi:nil="true"/>', 'ID-WAS-EMPTY'],
    ['nil and closed apart', '<id xsi:nil="1"></id>', 'ID-WAS-EMPTY'],
    ['nil and not empty', '<id xsi:nil="true">7</id>', 'TOKEN-7'],
    ['a reference by href', '<id href="#x"/>', 'ID-WAS-EMPTY'],
    ['blanks', '<id>   </id>', 'TOKEN-   '],
    ['with a type', '<id xsi:type="xsd:string">7</id>', 'TOKEN-7'],
    ['with a wrong type', '<id xsi:type="xsd:int">7</id>', 'TOKEN-7'],
    ['with attributes', '<id foo="1" xml:lang="tr">7</id>', 'TOKEN-7'],
    ['given twice; the first counts', '<id>7</id><id>8</id>', 'TOKEN-7'],
    ['after an unknown element', '<zzz>1</zzz><id>7</id>', 'TOKEN-7'],
    ['before an unknown element', '<id>7</id><zzz><id>8</id></zzz>', 'TOKEN-7'],
    ['inside an unknown element', '<zzz><id>8</id></zzz>', 'ID-WAS-NULL'],
    ['among text', 'a<id>7</id>b', 'TOKEN-7'],
    ['after a comment', '<!-- c --><id>7</id>', 'TOKEN-7'],
    ['in another letter case', '<ID>7</ID>', 'ID-WAS-NULL'],
    ['in no namespace', '<id xmlns="">7</id>', 'ID-WAS-NULL'],
    ['in another namespace', '<id xmlns="urn:x">7</id>', 'ID-WAS-NULL'],
    ['with another prefix', `<p:id xmlns:p="${NAMESPACE}">7</p:id>`, 'TOKEN-7'],
    ['with only a child element', '<id><b>7</b></id>', 'TOKEN-7'],
    ['named like a built-in property', '<__proto__>7</__proto__><constructor/>', 'ID-WAS-NULL'],
  ])('is read: %s', async (_what, inside, token) => {
    await expectToken(inside, token);
  });

  it.each([
    ['CDATA', '<![CDATA[<a>&amp;]]>', '<a>&amp;'],
    ['CDATA between text', 'a<![CDATA[b]]>c', 'abc'],
    ['two CDATA sections that split ]]>', '<![CDATA[]]]]><![CDATA[>]]>', ']]>'],
    ['CDATA that holds a document', '<![CDATA[<?xml version="1.0"?><a/>]]>', '<?xml version="1.0"?><a/>'],
    ['the five entities', '&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    ['character references', '&#65;&#x42;&#x130;&#x1F600;', 'AB\u0130\u{1F600}'],
    ['CRLF and CR as LF', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['CRLF in CDATA as LF', '<![CDATA[a\r\nb\rc]]>', 'a\nb\nc'],
    ['a CR by reference', '&#13;&#10;&#xD;', '\r\n\r'],
    ['blanks and tabs around', ' \t a \t ', ' \t a \t '],
    ['a non-breaking blank around', '\u00A0a\u00A0', '\u00A0a\u00A0'],
    ['NEL and the line separator', 'a\u0085b\u2028c', 'a\u0085b\u2028c'],
    [
      'Turkish, Arabic and emoji',
      'İışğ عربي \u{1F600}\u{1F468}\u200D\u{1F469}',
      'İışğ عربي \u{1F600}\u{1F468}\u200D\u{1F469}',
    ],
    ['combining marks unchanged', 'e\u0301\u00E9', 'e\u0301\u00E9'],
    ['a byte order mark in the text', 'a\uFEFFb', 'a\uFEFFb'],
    ['U+FFFD', '\uFFFD', '\uFFFD'],
    ['private use characters', '\uE000\u{10FFFD}', '\uE000\u{10FFFD}'],
  ])('keeps its characters: %s', async (_what, markup, text) => {
    await expectToken(`<id>hex:${markup}</id>`, hex(`hex:${text}`));
  });

  it.each([
    ['a comment', 'a<!-- b -->c'],
    ['a comment before the text', '<!-- b -->7'],
    ['only a comment', '<!-- b -->'],
    ['a processing instruction', 'a<?b c?>d'],
    ['text and an element', '7<b>8</b>'],
  ])('is rejected with 400 if it contains %s', async (_what, markup) => {
    expect(await reference.ask(token11(markup))).toEqual(emptyAnswer(400, TEXT_XML));
    expect((await reference.ask(token12(markup))).status).toBe(400);
  });

  it('of 100,000 characters is read completely', async () => {
    const id = `len:${'ş'.repeat(100_000)}`;
    expect(await reference.ask(token11(id))).toEqual(token11Is(`100004:${id}`));
  });
});

describe("the handler's arguments", () => {
  const calls: RecordedCall[] = [];
  const recording = useServer(() => startAsmxServer({ endpoints: recordingEndpoints(calls) }));

  beforeEach(() => {
    calls.length = 0;
  });

  async function argsOf(operation: string, inside: string) {
    const element = `<${operation} xmlns="${NAMESPACE}">${inside}</${operation}>`;
    const endpoint = operation === 'AuthCode' ? 'AuthCodeSending' : 'NotificationNotes';
    await recording.ask(soap11(endpoint, operation, envelope11(element)));
    return calls.at(-1)?.args;
  }

  it('include every parameter in any order', async () => {
    const inside = '<baseUrlSchool>B</baseUrlSchool><id>I</id><id_class>C</id_class>';
    expect(await argsOf('SendMarkNotes', inside)).toEqual({ id: 'I', id_class: 'C', baseUrlSchool: 'B' });
  });

  it('are null for parameters missing in the request', async () => {
    expect(await argsOf('AuthCode', '<phone>P</phone>')).toEqual({ code: null, phone: 'P' });
    expect(await argsOf('AuthCode', '')).toEqual({ code: null, phone: null });
  });

  it('contain only the declared parameters', async () => {
    const inside = `<code>1</code><role>admin</role><__proto__>x</__proto__>${'<z/>'.repeat(1000)}`;
    const args = await argsOf('AuthCode', inside);
    expect(args).toEqual({ code: '1', phone: null });
    expect(({} as Record<string, unknown>)['role']).toBeUndefined(); // an empty object sees its prototype
  });

  it('are strings or null whatever the markup', async () => {
    for (const markup of ['<b>7</b>', '<b/>', '<b><c>7</c></b>', '<![CDATA[]]>', '&#x20;']) {
      const args = await argsOf('AuthCode', `<code a="1">${markup}</code>`);
      if (args === undefined) continue;
      for (const value of Object.values(args)) expect(value === null || typeof value === 'string').toBe(true);
    }
  });
});

describe('a request whose action and body name two operations', () => {
  it('runs the operation of the action, without arguments', async () => {
    const body = call('GetTokenDevice', { id: 'throw' });
    const request = soap11('NotificationNotes', 'SendMarkNotes', envelope11(body));
    expect(await reference.ask(request)).toEqual(ok11(emptyOf('SendMarkNotes')));
  });
});

describe('the char parameter', () => {
  function school(showActive: string) {
    const element = `<GetStudentSchool xmlns="${NAMESPACE}"><school_base_url>echo</school_base_url>${showActive}</GetStudentSchool>`;
    return soap11('NotificationNotes', 'GetStudentSchool', envelope11(element));
  }

  function echoed(code: string) {
    const record =
      '<StudentInfo><id_student>1</id_student><fullName>char</fullName><id_device>echo</id_device>' +
      `<ShowActive>${code}</ShowActive></StudentInfo>`;
    return ok11(resultOf('GetStudentSchool', record));
  }

  it.each([
    ['89', '89'],
    [' 89 ', '89'],
    ['\r\n\t89\n', '89'],
    ['0000089', '89'],
    ['1', '1'],
    ['0', '0'],
    ['00000000000000000000001', '1'],
    ['65535', '65535'],
    ['<![CDATA[89]]>', '89'],
    ['&#56;9', '89'],
  ])('is the decimal code of a character: %s', async (markup, code) => {
    expect(await reference.ask(school(`<show_active>${markup}</show_active>`))).toEqual(echoed(code));
  });

  it('is U+0000 if missing', async () => {
    expect(await reference.ask(school(''))).toEqual(echoed('0'));
    expect(await reference.ask(school('<Show_Active>89</Show_Active>'))).toEqual(echoed('0'));
  });

  const FORMAT = 'Input string was not in a correct format.';
  const SIZE = 'Value was either too large or too small for a UInt16.';

  it.each([
    ['Y', FORMAT],
    ['', FORMAT],
    [' ', FORMAT],
    ['+89', FORMAT],
    ['-1', FORMAT],
    ['89.0', FORMAT],
    ['0x59', FORMAT],
    ['8 9', FORMAT],
    ['1e2', FORMAT],
    ['8,9', FORMAT],
    ['٨٩', FORMAT],
    ['８９', FORMAT],
    ['NaN', FORMAT],
    ['65536', SIZE],
    ['65537', SIZE],
    ['4294967295', SIZE],
  ])('is rejected, with the position of the next tag: %s', async (value, message) => {
    const request = school(`<show_active>${value}</show_active>`);
    const text = String(request.body);
    const column = text.indexOf('/GetStudentSchool>') + 2;
    expect(await reference.ask(request)).toEqual(charFault(1, column, message));
  });

  it('is rejected if nil', async () => {
    const request = school('<show_active xsi:nil="true"/>');
    const column = String(request.body).indexOf('/GetStudentSchool>') + 2;
    expect(await reference.ask(request)).toEqual(charFault(1, column, FORMAT));
  });

  it('is rejected with the position of a start tag that follows', async () => {
    const request = school('<show_active>Y</show_active><zzz/>');
    const column = String(request.body).indexOf('zzz') + 1;
    expect(await reference.ask(request)).toEqual(charFault(1, column, FORMAT));
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('is rejected with the line in a multi-line message: %s', async (_what, end) => {
    const request = school(`${end}${end}  <show_active>Y</show_active>${end}    `);
    expect(await reference.ask(request)).toEqual(charFault(3, 31, FORMAT));
  });

  it('is rejected with the column in UTF-16 units of the message as sent', async () => {
    const message = String(school('<show_active>Y</show_active>').body).replace('echo', 'ş\u{1F600}&amp;');
    const column = message.indexOf('/GetStudentSchool>') + 2;
    const request = soap11('NotificationNotes', 'GetStudentSchool', message);
    expect(await reference.ask(request)).toEqual(charFault(1, column, FORMAT));
  });

  it('is rejected under version 1.2 as a sender fault', async () => {
    const element = call('GetStudentSchool', { school_base_url: 'echo', show_active: 'Y' });
    const { body } = await reference.ask(soap12('NotificationNotes', envelope12(element)));
    expect(body).toContain('<soap:Value>soap:Sender</soap:Value>');
    expect(body).toContain(`---&gt; ${FORMAT}</soap:Text>`);
  });

  function charFault(line: number, column: number, message: string) {
    const place = `(${String(line)}, ${String(column)})`;
    const text = `Server was unable to read request. ---> There is an error in XML document ${place}. ---> `;
    return fault11('Client', text + message);
  }
});

describe('the char parameter, read leniently for callers that send the character itself', () => {
  const lenient = useReference({ charReading: 'lenient' });

  async function codeOf(value: string) {
    const element = call('GetStudentSchool', { school_base_url: 'echo', show_active: value });
    const { body } = await lenient.ask(soap11('NotificationNotes', 'GetStudentSchool', envelope11(element)));
    return /<ShowActive>(\d+)</.exec(body)?.[1];
  }

  it.each([
    ['Y', '89'],
    ['N', '78'],
    ['y', '121'],
    ['\u0130', '304'],
    ['0', '48'],
    ['1', '49'],
    ['9', '57'],
    ['+', '43'],
  ])('accepts the single character %s', async (value, code) => {
    expect(await codeOf(value)).toBe(code);
  });

  it.each([
    ['89', '89'],
    ['48', '48'],
    ['10', '10'],
    ['65535', '65535'],
    ['0000089', '89'],
  ])('still accepts the code %s', async (value, code) => {
    expect(await codeOf(value)).toBe(code);
  });

  it.each(['', 'YY', '+89', '-1', '65536', '\u{1F600}'])('still rejects %s', async (value) => {
    expect(await codeOf(value)).toBeUndefined();
  });

  it('is unchanged over HTTP GET and POST, which carry the character', async () => {
    const { body } = await lenient.ask({
      path: '/NotificationNotes.asmx/GetStudentSchool?school_base_url=echo&show_active=1',
    });
    expect(body).toContain('<ShowActive>49</ShowActive>');
  });
});
