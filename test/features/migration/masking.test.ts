import fc from 'fast-check';

import {
  maskedForm,
  maskedMarkup,
  maskedValues,
  maskedPath,
  maskedText,
  maskedWords,
} from '../../../src/features/migration/masking';

describe('a masked value', () => {
  it.each([
    ['Ayşe Kılıç', 'Xxéx Xéxéé'],
    ['+90 (555) 123-45-67', '+99 (999) 999-99-99'],
    ['Server was unable to process request. ---> Ali', 'Server was unable to process request. ---> Xxx'],
    ['System.InvalidOperationException: boom', 'System.InvalidOperationException: xxxx'],
    ['SOAPAction: http://tempuri.org/GetIt.', 'SOAPAction: http://tempuri.org/GetIt.'],
    ['http://school.example/S1', 'xxxx://xxxxxx.xxxxxxx/X9'],
    ['httpAli Systemx.y', 'xxxxXxx Xxxxxxx.x'],
    ['serverx Server', 'xxxxxxx Server'],
    ['İ Ş 字 \u{fffd}', 'É É é \u{fffd}'],
    ['a\tb\r\nc\u{1b}', 'x\\tx\\r\\nx\\u{1b}'],
  ])('has the shape of %j', (text, expected) => {
    expect(maskedText(text)).toBe(expected);
  });

  it.each([
    ['a=%C5%9Fa&b=%8a%fe&c=%41%20%2B%33', 'a=%C3%A9x&b=%E9%E9&c=%58%20%2B%39'],
    ['a=%u0130&Ali=1&555123=x', 'a=%u00E9&Ali=9&999999=x'],
    ['a=%zz&=', 'a=%xx&='],
    ['a=%80%41&b=%E5%AD%97x', 'a=%E9%58&b=%C3%A9x'],
    ['a=x%u0130', 'a=x%u00E9'],
    ['=Ada', '=Xxx'],
  ])('keeps the escaping of a form: %s', (form, expected) => {
    expect(maskedForm(form)).toBe(expected);
  });

  it.each([
    ['a name with two digits', 'id12=a&S1_2.3=a', 'id12=x&S1_2.3=x'],
    ['no name: three digits in a row are a number', 'S123=a&x905=a', 'X999=x&x999=x'],
    ['no name: it does not begin like one', '5a=a&-a=a', '9x=x&-x=x'],
    ['no name: it is too long', `${'q'.repeat(65)}=a`, `${'x'.repeat(65)}=x`],
  ])('keeps only field names: %s', (_what, form, expected) => {
    expect(maskedForm(form)).toBe(expected);
  });

  it.each(['wsdl', 'WSDL', 'disco', 'schema', 'singleWsdl'])('keeps the query %s', (query) => {
    expect(maskedForm(query)).toBe(query);
  });

  it('keeps only names of paths', () => {
    expect(maskedPath('/Notes12.asmx/S123/Get')).toBe('/Notes12.asmx/X999/Get');
  });

  it('keeps the values of protocol attributes, unless they are too long', () => {
    const [short, long] = [`school:${'q'.repeat(100)}`, `school:${'q'.repeat(200)}`];
    expect(maskedMarkup(`<a xsi:type="${short}" name="${short}"/>`)).toBe(
      `<a xsi:type="${short}" name="xxxxxx:${'x'.repeat(100)}"/>`,
    );
    expect(maskedMarkup(`<a xsi:type="${long}" xmlns='${long}'/>`)).toBe(
      `<a xsi:type="xxxxxx:${'x'.repeat(200)}" xmlns='xxxxxx:${'x'.repeat(200)}'/>`,
    );
  });

  it.each([
    ['xmlns="Ada"', 'xmlns="Ada"'],
    ['xmlns:soap="Ada"', 'xmlns:soap="Ada"'],
    ["version = '1.0'", "version = '1.0'"],
    ['soap:mustUnderstand="Ada"', 'soap:mustUnderstand="Ada"'],
    ['myxmlns="Ada"', 'myxmlns="Xxx"'],
    ['xmlnss="Ada"', 'xmlnss="Xxx"'],
    ['versions="Ada"', 'versions="Xxx"'],
    ['a:b:type="Ada"', 'a:b:type="Xxx"'],
    ['who = "Ada"', 'who = "Xxx"'],
    ['"Ada" who="Ada"', '"Xxx" who="Xxx"'],
  ])('keeps only the values of protocol attributes: %s', (attribute, expected) => {
    expect(maskedMarkup(`<a ${attribute}/>`)).toBe(`<a ${expected}/>`);
  });

  it.each([
    ['a comment', '<!--Ada>Ada--><a>Ada</a>', '<!--Xxx>Xxx--><a>Xxx</a>'],
    ['a CDATA section', '<![CDATA[Ada>Ada]]><a who="Ada"/>', '<![CDATA[Xxx>Xxx]]><a who="Xxx"/>'],
    ['an instruction', '<?xml version="1.0" who="Ada>Ada"?>Ada', '<?xml version="1.0" who="Xxx>Xxx"?>Xxx'],
    ['a comment without an end', 'Ada<!--Ada>Ada', 'Xxx<!--Xxx>Xxx'],
    ['a tag without an end', '<a>Ada</a><b who="Ada"', '<a>Xxx</a><b who="Xxx"'],
    ['a tag without a name', '<="Ada">Ada', '<="Xxx">Xxx'],
    ['no tag', 'Ada < Ada > Ada', 'Xxx < Xxx > Xxx'],
  ])('keeps the names in %s', (_what, text, expected) => {
    expect(maskedMarkup(text)).toBe(expected);
  });

  it.each([
    [79, 'x'.repeat(79)],
    [80, 'x'.repeat(80)],
    [81, `${'x'.repeat(80)}… (81 characters)`],
  ])('of %i characters shows 80 at most', (length, expected) => {
    expect(maskedText('q'.repeat(length))).toBe(expected);
  });

  it('is shown from its beginning if the difference is in view', () => {
    const [near, far] = ['q'.repeat(63), 'q'.repeat(64)];
    expect(maskedValues(`${near}1`, `${near}22`)).toEqual({
      old: `${'x'.repeat(63)}9`,
      ours: `${'x'.repeat(63)}99`,
    });
    expect(maskedValues(far, `${far}22`)).toEqual({
      old: `…${'x'.repeat(16)}`,
      ours: `…${'x'.repeat(16)}99`,
    });
  });

  it('is truncated and gives its full length', () => {
    expect(maskedText('q'.repeat(1234))).toBe(`${'x'.repeat(80)}… (1,234 characters)`);
  });

  it('is shown around the first different character', () => {
    const start = 'q'.repeat(100);
    expect(maskedValues(`${start}1`, `${start}22`)).toEqual({
      old: `…${'x'.repeat(16)}9`,
      ours: `…${'x'.repeat(16)}99`,
    });
    expect(maskedValues('q1', 'q2')).toEqual({ old: 'x9', ours: 'x9' });
  });

  it('never contains a letter or digit of personal data', () => {
    const masks = [maskedWords, maskedText, maskedForm, maskedPath, maskedMarkup];
    // Letters that no word of the protocol is made of alone, and all kinds of digits.
    const piece = fc.oneof(
      fc.stringMatching(/^[bdgjkqzŞığü字४0-8]{2,6}$/u),
      fc.constantFrom('<', '>', '&', '=', '%', '"', "'", ' ', ';', '#', '?', '!--', '<![CDATA[', ']]>', '/'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const rest = (masked: string) =>
          masked
            .replace(/%(?:u00E9|C3%A9|E9)|&#120;|<!?\[?CDATA\[?/g, '')
            .replace(/%[0-7][0-9A-F]/g, (escape) => decodeURIComponent(escape).replace(/[^\w]/, ''))
            .replace(/\\u\{[^}]*\}|characters/g, '');
        for (const mask of masks.slice(0, 2))
          expect(rest(mask(text)).replace(/[xXéÉ9]/g, '')).not.toMatch(/[\p{L}\p{N}]/u);
        // Names of fields, segments and elements stay; values do not.
        expect(
          rest(maskedForm(`f=${text.replace(/[&=]/g, '')}`))
            .slice(2)
            .replace(/[xXéÉ9]/g, ''),
        ).not.toMatch(/[bdgjkqzşı]/iu);
        const value = text.replace(/[<>&]/g, '');
        expect(
          maskedMarkup(`<a>${value}</a>`)
            .slice(3, -4)
            .replace(/[xXéÉ9]/g, ''),
        ).not.toMatch(/[\p{L}\p{N}]/u);
        expect(
          maskedMarkup(`<a b="${value.replaceAll('"', '')}"/>`)
            .slice(6)
            .replace(/[xXéÉ9]/g, ''),
        ).not.toMatch(/[\p{L}\p{N}]/u);
      }),
      // Escapes of what is no letter and no digit, but has some.
      { examples: [[['%', '0dk']], [['%', '2bk']]] },
    );
  });
});
