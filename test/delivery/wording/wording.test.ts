import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readDeliveryFile } from '../../../src/delivery/wording/delivery-file';
import { smsParts } from '../../../src/delivery/wording/sms-parts';
import { Wording } from '../../../src/delivery/wording/wording';

const USUAL = { smsText: 'Your code is {code}', pushTitle: '{title}', pushBody: '{text}' };
const NOTE = { title: 'Title $& {text}', text: 'Text' };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wording-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
function file(content: unknown) {
  const path = join(folder, 'delivery.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readDeliveryFile(path);
}

describe('the wording', () => {
  it('puts values into the texts as they stand', () => {
    const wording = new Wording(USUAL, readDeliveryFile(undefined));
    expect(wording.smsText('+905551112233', '${x} {code}')).toBe('Your code is ${x} {code}');
    expect(wording.push('http://a.example', NOTE)).toEqual({ title: 'Title $& {text}', body: 'Text' });
  });

  it('goes by the country of the phone and the language of the school', () => {
    const content = {
      languages: { tr: { smsText: 'Kodunuz {code}', pushTitle: 'Not: {title}' } },
      countries: { TR: 'tr' },
      schools: { 'HTTP://a.example:80/': { language: 'tr' } },
    };
    const wording = new Wording(USUAL, file(content));
    expect(wording.smsText('+905551112233', '1')).toBe('Kodunuz 1');
    expect(wording.smsText('+4915123456789', '1')).toBe('Your code is 1');
    expect(wording.push('http://a.example', NOTE)).toEqual({ title: `Not: ${NOTE.title}`, body: 'Text' });
    expect(wording.push('http://b.example', NOTE).title).toBe(NOTE.title);
  });

  it.each([
    [{ ...USUAL, smsText: 'Hello' }, 'SMS_TEXT cannot be used: it lacks {code}.'],
    [
      { ...USUAL, smsText: '{code} {name}' },
      'SMS_TEXT cannot be used: it has {name}, but there is only {code}.',
    ],
    [
      { ...USUAL, pushBody: '{code}' },
      'PUSH_BODY cannot be used: it has {code}, but there is only {title}, {text}.',
    ],
  ])('refuses %j', (texts, message) => {
    expect(() => new Wording(texts, readDeliveryFile(undefined))).toThrow(message);
  });

  it.each([
    ['{', 'is not JSON'],
    [{ schoolz: {} }, 'is wrong at its beginning'],
    [
      { schools: { x: { timeZone: 'Mars/Olympus' } } },
      'wrong at schools > entry 1 > timeZone: is not a time zone',
    ],
    [
      { schools: { x: { quietHours: '7-8' } } },
      'wrong at schools > entry 1 > quietHours: is neither HH:MM-HH:MM nor off',
    ],
    [
      { countries: { TR: 'tr' } },
      'names a language under countries or schools that is not among its languages',
    ],
  ])('refuses the file %j', (content, message) => {
    expect(() => file(content)).toThrow(message);
  });

  it('refuses a template of a language, and says which', () => {
    const content = file({ languages: { tr: { smsText: 'Kod' } } });
    expect(() => new Wording(USUAL, content)).toThrow(
      'smsText of the language tr in DELIVERY_FILE cannot be used',
    );
  });

  it('tells which texts of a code take more than one SMS', () => {
    const long = { ...USUAL, smsText: `{code} ${'ş'.repeat(64)}` };
    expect(new Wording(USUAL, readDeliveryFile(undefined)).longSms()).toEqual([]);
    expect(new Wording(long, readDeliveryFile(undefined)).longSms()).toEqual([
      { language: 'SMS_TEXT', encoding: 'UCS-2', length: 71, parts: 2 },
    ]);
  });
});

describe('the length of an SMS', () => {
  it.each([
    ['a'.repeat(160), 'GSM-7', 160, 1],
    ['a'.repeat(161), 'GSM-7', 161, 2],
    ['a'.repeat(306), 'GSM-7', 306, 2],
    ['a'.repeat(307), 'GSM-7', 307, 3],
    ['€'.repeat(80), 'GSM-7', 160, 1],
    ['€'.repeat(81), 'GSM-7', 162, 2],
    ['ş'.repeat(70), 'UCS-2', 70, 1],
    ['ş'.repeat(71), 'UCS-2', 71, 2],
    ['🎓'.repeat(35), 'UCS-2', 70, 1],
    ['ş'.repeat(135), 'UCS-2', 135, 3],
  ])('of %s is %s, %d places, %d parts', (text, encoding, length, parts) => {
    expect(smsParts(text)).toEqual({ encoding, length, parts });
  });
});
