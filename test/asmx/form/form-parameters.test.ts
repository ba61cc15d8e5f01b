// The wire contract, section 4.

import { FORM_VOID, formError, formTokenIs } from '../../harness/asmx-answers';
import { form, get, type RawRequest } from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const reference = useReference();

const PATH = '/PushNotificationMobile.asmx/GetTokenDevice';

function getToken(query: string): RawRequest {
  return get('PushNotificationMobile', 'GetTokenDevice', query);
}

function postToken(body: string | Uint8Array): RawRequest {
  return form('PushNotificationMobile', 'GetTokenDevice', body);
}

function typed(contentType: string | undefined, body: string | Uint8Array, path = PATH): RawRequest {
  return {
    method: 'POST',
    path,
    headers: contentType === undefined ? [] : [['Content-Type', contentType]],
    body,
  };
}

function hex(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return units.map((unit) => unit.toString(16).padStart(4, '0')).join('');
}

describe('pairs, in the query and in the form', () => {
  it.each([
    ['one', 'id=1', '1'],
    ['a name in capitals', 'ID=1', '1'],
    ['two of one name, joined by a comma', 'id=1&id=2', '1,2'],
    ['two that differ in letter case', 'id=1&ID=2', '1,2'],
    ['three, one of them empty', 'id=1&id=&id=3', '1,,3'],
    ['other names beside it', 'x=1&id=7&y=2', '7'],
    ['a name without a value beside it', 'y&id=7&z', '7'],
    ['empty pairs', '&&id=7&&', '7'],
    ['an equals sign in the value', 'id=a=b=c', 'a=b=c'],
    ['a semicolon, which separates nothing', 'id=1;x=2', '1;x=2'],
    ['names in brackets, which are ordinary names', 'id[]=1&id[a]=2&id=7', '7'],
    ['an encoded name', '%69d=7', '7'],
    ['a name of a built-in property', '__proto__=1&constructor=2&id[__proto__][x]=3&id=7', '7'],
    ['quotation marks', 'id="7"', '"7"'],
  ])('reads %s', async (_what, pairs, id) => {
    expect(await reference.ask(getToken(pairs))).toEqual(formTokenIs(`TOKEN-${id}`));
    expect(await reference.ask(postToken(pairs))).toEqual(formTokenIs(`TOKEN-${id}`));
  });

  it('reads a long run of escapes', async () => {
    const body = `id=${'%C4%81'.repeat(600)}`;
    expect(await reference.ask(postToken(body))).toEqual(formTokenIs(`TOKEN-${'ā'.repeat(600)}`));
  });

  it('takes an empty value as the empty string', async () => {
    expect(await reference.ask(getToken('id='))).toEqual(formTokenIs('ID-WAS-EMPTY'));
    expect(await reference.ask(postToken('id='))).toEqual(formTokenIs('ID-WAS-EMPTY'));
  });

  it.each([
    ['+ as a blank', 'a+b', 'a b'],
    ['%2B as a plus', 'a%2Bb', 'a+b'],
    ['%20 as a blank', 'a%20b', 'a b'],
    ['UTF-8', '%C4%B0%C5%9F', '\u0130\u015F'],
    ['UTF-8 in lower-case digits', '%c4%b0', '\u0130'],
    ['UTF-8 beyond the BMP', '%F0%9F%98%80', '\u{1F600}'],
    ['a byte that is not UTF-8', '%E9', '\uFFFD'],
    ['two bytes that are not UTF-8', '%FF%FE', '\uFFFD\uFFFD'],
    ['%00', 'a%00b', 'a\0b'],
    ['control characters', '%01%0D%0A%09', '\u0001\r\n\t'],
    ['a wrong escape unchanged', '%ZZ', '%ZZ'],
    ['half an escape unchanged', '%4', '%4'],
    ['a lone percent sign unchanged', '100%', '100%'],
    ['an escape after a lone percent sign', '%%41', '%A'],
    ['%u as one UTF-16 unit', '%u0130%u015f', '\u0130\u015F'],
    ['%u in any letter case of the digits', '%u00e9%u00E9', '\u00E9\u00E9'],
    ['%u of a pair', '%uD83D%uDE00', '\u{1F600}'],
    ['%u of half a pair', '%uD83D', '\uFFFD'],
    ['%u of the other half', '%uDE00x', '\uFFFDx'],
    ['%u between %XX', 'a%u0130%C4%B0b', 'a\u0130\u0130b'],
    ['a wrong %u unchanged', '%u01zz', '%u01zz'],
    ['a short %u unchanged', '%u01', '%u01'],
    ['%U in upper case unchanged', '%U0130%U00E9', '%U0130%U00E9'],
    ['an encoded ampersand', '%26id%3D8', '&id=8'],
    ['a value that is encoded twice', '%2541', '%41'],
  ])('decodes %s', async (_what, value, text) => {
    const token = formTokenIs(hex(`hex:${text}`));
    expect(await reference.ask(getToken(`id=hex:${value}`))).toEqual(token);
    expect(await reference.ask(postToken(`id=hex:${value}`))).toEqual(token);
  });

  it('takes markup as data', async () => {
    const token = formTokenIs('TOKEN-<script>alert(1)</script>&#60;');
    const pairs = 'id=%3Cscript%3Ealert(1)%3C/script%3E%26%2360;';
    expect(await reference.ask(getToken(pairs))).toEqual(token);
    expect(await reference.ask(postToken(pairs))).toEqual(token);
  });
});

describe('a missing parameter', () => {
  it.each([
    ['all', '', 'code'],
    ['the second', 'code=1', 'phone'],
    ['the first', 'phone=1', 'code'],
    ['one without an equals sign', 'code&phone=1', 'code'],
    ['one that appears only in the text of another', 'code=1%26phone=2', 'phone'],
    ['one with a similar name', 'code=1&phones=2&pho=3', 'phone'],
  ])('is reported, the first in contract order: %s', async (_what, pairs, name) => {
    const error = formError(`Missing parameter: ${name}.`);
    expect(await reference.ask(get('AuthCodeSending', 'AuthCode', pairs))).toEqual(error);
    expect(await reference.ask(form('AuthCodeSending', 'AuthCode', pairs))).toEqual(error);
  });

  it('is not searched for in the query of a POST, nor in the body of a GET', async () => {
    const missing = formError('Missing parameter: id.');
    expect(await reference.ask({ ...postToken(''), path: `${PATH}?id=1` })).toEqual(missing);
    const getWithBody: RawRequest = {
      method: 'GET',
      path: PATH,
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: 'id=1',
    };
    expect(await reference.ask(getWithBody)).toEqual(missing);
  });

  it('is checked after the name of the operation', async () => {
    expect(await reference.ask(get('AuthCodeSending', 'Nope'))).toEqual(
      formError('Nope Web Service method name is not valid.'),
    );
  });
});

describe('the char parameter', () => {
  const pairs = (value: string): string => `school_base_url=echo&show_active=${value}`;

  async function expectBoth(value: string, expected: (body: string) => void) {
    expected((await reference.ask(get('NotificationNotes', 'GetStudentSchool', pairs(value)))).body);
    expected((await reference.ask(form('NotificationNotes', 'GetStudentSchool', pairs(value)))).body);
  }

  it.each([
    ['Y', 89],
    ['8', 56],
    ['+', 32],
    ['%20', 32],
    ['%2B', 43],
    ['%C4%B0', 304],
    ['%u0130', 304],
    ['%00', 0],
    ['%0A', 10],
    ['%FF', 65533],
    ['%uD83D', 65533],
    ['%3C', 60],
  ])('is the character itself: %s', async (value, code) => {
    await expectBoth(value, (body) => {
      expect(body).toContain(`<ShowActive>${String(code)}</ShowActive>`);
    });
  });

  it.each([
    ['YY', 'YY'],
    ['', ''],
    ['89', '89'],
    ['%20Y', ' Y'],
    ['%F0%9F%98%80', '\u{1F600}'],
    ['e%CC%81', 'e\u0301'],
    ['Y&show_active=N', 'Y,N'],
    ['%3C%3E', '&lt;&gt;'],
    ['%26%22%27', '&amp;&quot;&#39;'],
    ['%C3%A9%C3%A9', '&#233;&#233;'],
    ['%C5%9F%C5%9F', '\u015F\u015F'],
  ])('is rejected unless it is exactly one UTF-16 unit: %s', async (value, shown) => {
    await expectBoth(value, (body) => {
      expect(body).toBe(
        `Cannot convert ${shown} to System.Char.\r\nParameter name: type ---> ` +
          'String must be exactly one character long.\r\n',
      );
    });
  });
});

describe('the media type of a form', () => {
  it.each([
    'application/x-www-form-urlencoded',
    'APPLICATION/X-WWW-FORM-URLENCODED',
    'application/x-www-form-urlencoded; charset=utf-8',
    'application/x-www-form-urlencoded;charset=UTF-8;x=y',
  ])('is accepted: %s', async (contentType) => {
    expect(await reference.ask(typed(contentType, 'id=1'))).toEqual(formTokenIs('TOKEN-1'));
  });

  it.each([
    'text/plain',
    'text/xml; charset=utf-8',
    'multipart/form-data; boundary=B',
    'application/json',
    'application/json; charset=utf-8',
    'application/soap+xml',
    'application/x-www-form-urlencodedX',
    'application/x-www-form-urlencoded ; charset=utf-8',
    '; application/x-www-form-urlencoded',
    'application/x-www-form',
    'x',
  ])('is rejected with its whole value if it is another: %s', async (contentType) => {
    expect(await reference.ask(typed(contentType, 'id=1'))).toEqual(
      formError(`Request format is invalid: ${contentType}.`),
    );
  });

  it('is rejected if missing', async () => {
    expect(await reference.ask(typed(undefined, 'id=1'))).toEqual(formError('Request format is invalid: .'));
    expect(await reference.ask(typed('', 'id=1'))).toEqual(formError('Request format is invalid: .'));
  });

  it('is encoded in the answer', async () => {
    expect(await reference.ask(typed('a/<b>&"\'', 'id=1'))).toEqual(
      formError('Request format is invalid: a/&lt;b&gt;&amp;&quot;&#39;.'),
    );
  });

  it('is checked after the name of the operation and before its parameters', async () => {
    expect(await reference.ask(typed('text/plain', '', '/PushNotificationMobile.asmx/Nope'))).toEqual(
      formError('Nope Web Service method name is not valid.'),
    );
    expect(await reference.ask(typed('text/plain', ''))).toEqual(
      formError('Request format is invalid: text/plain.'),
    );
  });

  it('is ignored over GET', async () => {
    const request: RawRequest = { ...getToken('id=1'), headers: [['Content-Type', 'application/json']] };
    expect(await reference.ask(request)).toEqual(formTokenIs('TOKEN-1'));
  });
});

describe('the character encoding of a form', () => {
  it.each([
    ['iso-8859-9', '%DD%FE', '\u0130\u015F'],
    ['windows-1254', '%DD%FE', '\u0130\u015F'],
    ['iso-8859-1', '%E9', '\u00E9'],
    ['"iso-8859-9"', '%DD', '\u0130'],
    ['utf-8', '%C4%B0', '\u0130'],
    ['iso-8859-9', '%u0130', '\u0130'],
  ])('follows its content type: %s', async (charset, value, text) => {
    const contentType = `application/x-www-form-urlencoded; charset=${charset}`;
    expect(await reference.ask(typed(contentType, `id=hex:${value}`))).toEqual(
      formTokenIs(hex(`hex:${text}`)),
    );
  });

  it('applies to raw bytes, too', async () => {
    const contentType = 'application/x-www-form-urlencoded; charset=iso-8859-9';
    const body = Buffer.from('id=hex:\u00DD\u00FE', 'latin1');
    expect(await reference.ask(typed(contentType, body))).toEqual(formTokenIs(hex('hex:\u0130\u015F')));
  });

  it('is UTF-8 if not specified', async () => {
    expect(await reference.ask(postToken('id=hex:\u0130\u015F\u{1F600}'))).toEqual(
      formTokenIs(hex('hex:\u0130\u015F\u{1F600}')),
    );
    expect(await reference.ask(postToken(Buffer.from('id=hex:\u00E9', 'latin1')))).toEqual(
      formTokenIs(hex('hex:\uFFFD')),
    );
  });
});

describe('the end of a form', () => {
  it.each([
    ['CRLF', '\r\n'],
    ['LF', '\n'],
  ])('belongs to the last value: %s', async (_what, end) => {
    expect(await reference.ask(postToken(`id=hex:1${end}`))).toEqual(formTokenIs(hex(`hex:1${end}`)));
  });
});

describe('an operation without parameters', () => {
  it.each([
    ['nothing', undefined, ''],
    ['a form', 'application/x-www-form-urlencoded', 'x=1'],
    ['text', 'text/plain', 'whatever'],
    ['JSON', 'application/json', '{}'],
    ['broken XML', 'text/xml', '<a'],
    ['bytes', 'application/octet-stream', '\0\u0001'],
    ['a body without a type', undefined, 'x'],
  ])('accepts %s', async (_what, contentType, body) => {
    const path = '/GetNoteType.asmx/GetStudentsNoteType';
    expect(await reference.ask(typed(contentType, body, path))).toEqual(FORM_VOID);
    expect(await reference.ask(typed(contentType, body, `${path}?x=1`))).toEqual(FORM_VOID);
  });

  it('accepts any query', async () => {
    for (const query of ['', 'x=1', 'wsdl', 'op=GetStudentsNoteType', '%ZZ']) {
      expect(await reference.ask(get('GetNoteType', 'GetStudentsNoteType', query))).toEqual(FORM_VOID);
    }
  });
});

describe('many pairs', () => {
  const TOO_MANY = formError('Operation is not valid due to the current state of the object.');

  it.each([
    ['names', (index: number) => `k${String(index)}=1`],
    ['pairs with one name', () => 'k='],
    ['texts without an equals sign', () => 'k'],
  ])('are read up to 1,000 %s, not counting empty ones', async (_what, make) => {
    const others = Array.from({ length: 999 }, (_, index) => make(index)).join('&&');
    expect(await reference.ask(postToken(`&${others}&&id=7&`))).toEqual(formTokenIs('TOKEN-7'));
    expect(await reference.ask(postToken(`${others}&x&id=7`))).toEqual(TOO_MANY);
  });

  it('are rejected in a query', async () => {
    const others = 'k&'.repeat(999);
    expect(await reference.ask(getToken(`${others}id=7`))).toEqual(formTokenIs('TOKEN-7'));
    expect(await reference.ask(getToken(`${others}x&id=7`))).toEqual(TOO_MANY);
    const page = await reference.send({ path: `/PushNotificationMobile.asmx?${others}x&wsdl` });
    expect([page.status, page.text]).toEqual([500, TOO_MANY.body]);
  });

  it('are ignored for an operation without parameters', async () => {
    const pairs = 'k&'.repeat(1001);
    expect(await reference.ask(get('GetNoteType', 'GetStudentsNoteType', pairs))).toEqual(FORM_VOID);
    expect(await reference.ask(form('GetNoteType', 'GetStudentsNoteType', pairs))).toEqual(FORM_VOID);
  });
});
