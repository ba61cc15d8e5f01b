import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig } from '../../src/config';
import { readDeliveryFile, Wording, WordingInUse } from '../../src/delivery/wording';
import { useFolderPerTest } from '../harness/use-folder';

const USUAL = 'Your code is {code}';
const NOTE = { title: 'Title $& {text}', text: 'Text' };

const folder = useFolderPerTest();
function file(content: unknown) {
  const path = join(folder(), 'delivery.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readDeliveryFile(path);
}

describe('the wording', () => {
  it('inserts values into the texts unchanged', () => {
    const wording = new Wording(USUAL, readDeliveryFile(undefined));
    expect(wording.sms('+905551112233', '${x} {code}').text).toBe('Your code is ${x} {code}');
    expect(wording.push('http://a.example', NOTE)).toEqual({ title: 'Title $& {text}', body: 'Text' });
  });

  it('follows the country of the phone and the language of the school', () => {
    const content = {
      languages: { tr: { smsText: 'Kodunuz {code}', pushTitle: 'Not: {title}' } },
      countries: { TR: 'tr' },
      schools: { 'HTTP://a.example:80/': { language: 'tr' } },
    };
    const wording = new Wording(USUAL, file(content));
    expect(wording.sms('+905551112233', '1').text).toBe('Kodunuz 1');
    expect(wording.sms('+4915123456789', '1').text).toBe('Your code is 1');
    expect(wording.push('http://a.example', NOTE)).toEqual({ title: `Not: ${NOTE.title}`, body: 'Text' });
    expect(wording.push('http://b.example', NOTE).title).toBe(NOTE.title);
  });

  it('is in the language of the file where country and school have none', () => {
    const languages = {
      tr: { smsText: 'Kodunuz {code}', pushTitle: 'Not: {title}', pushBody: '{text}.' },
      de: { pushTitle: 'Note: {title}' },
    };
    const wording = new Wording(
      USUAL,
      file({
        language: 'tr',
        languages,
        countries: { DE: 'de' },
        schools: { 'http://a.example': { language: 'de' } },
      }),
    );
    expect(wording.sms('+905551112233', '1').text).toBe('Kodunuz 1');
    expect(wording.sms('+4915123456789', '1').text).toBe('Your code is 1');
    expect(wording.push('http://b.example', NOTE)).toEqual({ title: `Not: ${NOTE.title}`, body: 'Text.' });
    expect(wording.push('http://a.example', NOTE)).toEqual({ title: `Note: ${NOTE.title}`, body: 'Text' });
  });

  it('knows languages by their subtags, too, and lets messages go at once', () => {
    const content = {
      languages: { 'pt-BR': { smsText: 'Seu código: {code}' }, fil: {}, 'zh-Hant-TW': {} },
      countries: { BR: 'pt-BR' },
    };
    file(content);
    const wording = new WordingInUse(loadConfig({ DELIVERY_FILE: join(folder(), 'delivery.json') }));
    expect(wording.sms('+5511912345678', '1').text).toBe('Seu código: 1');
    expect(wording.notBefore('http://a.example', 1234)).toBe(1234);
  });

  it('follows its file on a reload', () => {
    const DELIVERY_FILE = join(folder(), 'delivery.json');
    const use = (language: string): void => {
      const languages = { tr: { pushTitle: 'Not: {title}' }, en: { pushTitle: 'Note: {title}' } };
      file({ languages, schools: { 'http://a.example': { language } } });
    };
    use('tr');
    const config = loadConfig({ DELIVERY_FILE });
    const wording = new WordingInUse(config);
    expect(wording.push('http://a.example', NOTE).title).toBe(`Not: ${NOTE.title}`);
    use('en');
    wording.reload(config);
    expect(wording.push('http://a.example', NOTE).title).toBe(`Note: ${NOTE.title}`);
  });

  it.each([
    ['Hello', 'SMS_TEXT: the placeholder {code} is missing.'],
    ['{code} {name}', 'SMS_TEXT: unknown placeholder {name}. Expected {code}.'],
  ])('refuses %j', (text, message) => {
    expect(() => new Wording(text, readDeliveryFile(undefined))).toThrow(message);
  });

  it.each([
    ['{', 'is not valid JSON'],
    [{ schoolz: {} }, 'top level: '],
    [
      { countries: { TR: 'Turkish' } },
      '(DELIVERY_FILE), countries > entry 1 > language: is not a language code such as tr',
    ],
    [
      { countries: { TR: { smsShiftTable: 'tr' } } },
      'countries > entry 1 > smsShiftTable: must be "turkish"',
    ],
    [{ languages: { 'tr!': {} } }, 'languages > entry 1: is not a language code such as tr'],
    [{ languages: { '-tr': {} } }, 'languages > entry 1: is not a language code such as tr'],
    [{ languages: { turk: {} } }, 'languages > entry 1: is not a language code such as tr'],
    [{ countries: { TRX: 'tr' } }, 'countries > entry 1: is not a country code such as TR'],
    [{ countries: { tr: 'tr' } }, 'countries > entry 1: is not a country code such as TR'],
    [{ smsEncoding: 'UTF-16' }, '(DELIVERY_FILE), smsEncoding: must be "ucs2"'],
    [
      { countries: { TR: { smsSuffix: '\x07' } } },
      'countries > entry 1 > smsSuffix: contains control characters',
    ],
    [{ countries: { TR: { suffix: 'B016' } } }, 'countries > entry 1: has an unknown name'],
    [{ countries: { TR: { language: 'tr' } } }, 'a language that is used is missing from languages'],
    [{ countries: { TR: 'tr' } }, 'a language that is used is missing from languages'],
    [{ language: 'tr' }, 'a language that is used is missing from languages'],
  ])('refuses the file %j', (content, message) => {
    expect(() => file(content)).toThrow(message);
  });

  it.each([
    ['smsText', 'Kod', 'the placeholder {code} is missing'],
    ['pushTitle', '{name}', 'unknown placeholder {name}. Expected {title}, {text}'],
    ['pushBody', '{code}', 'unknown placeholder {code}. Expected {title}, {text}'],
  ])('refuses a template in a language, and names it: %s', (name, text, problem) => {
    const content = file({ languages: { tr: { [name]: text } } });
    expect(() => new Wording(USUAL, content)).toThrow(
      `${name} of the language tr in DELIVERY_FILE: ${problem}.`,
    );
  });

  it('counts the parts of a code’s SMS by the rules of the country', () => {
    const languages = { tr: { smsText: `{code}${'ş'.repeat(72)}` } };
    const turkish = { language: 'tr', smsShiftTable: 'turkish' };
    const phone = '+905551112233';
    const partsOf = (countries: object): number =>
      new Wording(USUAL, file({ languages, countries })).sms(phone, '123456').parts;
    expect(partsOf({})).toBe(1);
    expect(partsOf({ TR: 'tr', DE: turkish })).toBe(2);
    expect(partsOf({ TR: turkish })).toBe(1);
    expect(partsOf({ TR: { ...turkish, smsSuffix: ' B016' } })).toBe(1);
    expect(partsOf({ TR: { ...turkish, smsSuffix: ' B0160' } })).toBe(2);
  });

  it('counts in UCS-2 if the gateway sends nothing else', () => {
    const long = `{code} ${'a'.repeat(64)}`;
    const content = { smsEncoding: 'ucs2', countries: { TR: { smsShiftTable: 'turkish' } } };
    const wording = new Wording(long, file(content));
    expect(wording.sms('+905551112233', '123456').parts).toBe(2);
    expect(wording.sms('+4915123456789', '123456').parts).toBe(2);
    expect(wording.longSms()).toMatchObject([
      { country: undefined, parts: 2 },
      { country: 'TR', parts: 2 },
    ]);
  });

  it('reports which texts of a code take more than one SMS, and where', () => {
    expect(new Wording(USUAL, readDeliveryFile(undefined)).longSms()).toEqual([]);
    const long = `{code} ${'ş'.repeat(64)}`;
    const twoOfUcs2 = { encoding: 'UCS-2', length: 71, parts: 2 };
    expect(new Wording(long, readDeliveryFile(undefined)).longSms()).toEqual([
      { language: 'SMS_TEXT', country: undefined, ...twoOfUcs2 },
    ]);
    const content = {
      languages: { en: { smsText: 'Code {code}' }, tr: {} },
      countries: {
        GB: 'en',
        CY: 'tr',
        TR: { language: 'tr', smsShiftTable: 'turkish' },
        AZ: { smsShiftTable: 'turkish', smsSuffix: 'x'.repeat(21) },
      },
    };
    expect(new Wording(long, file(content)).longSms()).toEqual([
      { language: 'SMS_TEXT', country: undefined, ...twoOfUcs2 },
      { language: 'tr', country: 'CY', ...twoOfUcs2 },
      { language: 'SMS_TEXT', country: 'AZ', encoding: 'GSM-7 Turkish', length: 156, parts: 2 },
    ]);
  });
});
