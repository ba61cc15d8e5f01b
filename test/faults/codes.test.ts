// A code is a code: what callers choose cannot make another text of the SMS.

import { loadConfig, SettingError } from '../../src/config';
import { writeByHand } from '../interop/clients/hand-written-request';
import { type ServiceHere, useServicesHere } from '../service/use-services-here';
import { CALLS } from '../harness/contract-operations';

const REFUSED = 'Parameter code has an invalid format.';

/** AuthCode over each binding. */
const bindings = CALLS.filter(({ name }) => name === 'AuthCode');

describe('the pattern of a code', () => {
  const form = loadConfig({}).CODE_PATTERN;

  it.each([['482913'], ['AB-12 cd'], ['ŞĞİ-٤٢'], ['नमस्ते ७'], ['a'.repeat(32)]])('accepts %p', (code) => {
    expect(form.fits(code)).toBe(true);
  });

  it.each([
    ['http://evil.example'],
    ['1.2'],
    ['call +90'],
    ['<b>1</b>'],
    ['😀'],
    ['1\n2'],
    ['1\u00a02'],
    ['\u001b[2J'],
    ['1\u0085'],
    ['\u202e321'],
    ['\ud800'],
    ['½'],
    ['a'.repeat(33)],
    [''],
  ])('rejects %p', (code) => {
    expect(form.fits(code)).toBe(false);
  });

  it('can be configured, and applies to the whole code', () => {
    const pin = loadConfig({ CODE_PATTERN: '[0-9]{4}|[0-9]{6}' }).CODE_PATTERN;
    expect(['1234', '123456', '12345', 'x1234', '123456\n'].map((code) => pin.fits(code))).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
  });

  it.each(['\n', '\u001b', '\u0000', '\u009b', '\u200f', '\u2066', '\u2028'])(
    'never accepts %j, whatever the configuration',
    (character) => {
      expect(loadConfig({ CODE_PATTERN: '(?s).*' }).CODE_PATTERN.fits(`1${character}2`)).toBe(false);
    },
  );

  it.each([
    ['cannot be parsed', '[0-9'],
    ['has a lookahead', '(?=[0-9])[0-9]+'],
    ['has a backreference', String.raw`([0-9])\1`],
    ['becomes too large', '((a{100}){100}){100}'],
  ])('is rejected at start if the expression %s', (_what, source) => {
    const load = (): unknown => loadConfig({ CODE_PATTERN: source });
    expect(load).toThrow(SettingError);
    expect(load).toThrow(/^CODE_PATTERN: .+ is not valid\. Expected: regular expression \(RE2\)/);
  });

  it.each(['(a+)+', '(a|a)*', '(a{0,15}){0,15}', 'a*a*a*a*a*a*a*a*a*a*', '(a*)*', '(.*a){20}'])(
    'needs no more steps than the code has characters, whatever the expression: %s',
    (source) => {
      // By backtracking, each of these takes from seconds to years for one code of 32 characters.
      const form = loadConfig({ CODE_PATTERN: `${source}b` }).CODE_PATTERN;
      for (let round = 0; round < 1000; round += 1) expect(form.fits(`${'a'.repeat(31)}c`)).toBe(false);
    },
  );
});

describe('a code with an invalid format', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  beforeAll(async () => {
    service = await services.start();
  });

  it.each(bindings.map((call) => [call.binding, call] as const))(
    'is a client error over %s, like an empty one, and nothing is stored',
    async (binding, call) => {
      const ask = (code: string) => service.ask(writeByHand(binding, call, [code, '+905551112233']));
      const empty = await ask('');
      const answer = await ask('http://evil.example');
      expect(answer.status).toBe(empty.status);
      expect(answer.text).toBe(empty.text.replace('Parameter code is empty.', REFUSED));
      const line = await service.line('request', { binding, reason: REFUSED });
      expect(line).toMatchObject({ operation: 'AuthCode', outcome: 'client_error' });
      expect(line).not.toHaveProperty('messageId');
    },
  );
});
