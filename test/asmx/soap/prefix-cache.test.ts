// The wire contract, section 3, step 5: read from a known prefix on as from the start.

import { isDeepStrictEqual } from 'node:util';

import { EnvelopeReader } from '../../../src/asmx/soap/envelope-reader';
import { PrefixCache } from '../../../src/asmx/soap/prefix-cache';
import { DEFAULT_LIMITS } from '../../../src/asmx/limits';
import type { OperationContract } from '../../../src/asmx/contract/service-contract';
import { call, envelope11, envelope12, NAMESPACE } from '../../../scripts/harness';
import { fuzzRun } from '../../support/fuzz-run';

const OPERATION: OperationContract = {
  name: 'GetStudentSchool',
  parameters: [
    { name: 'school_base_url', type: 'string' },
    { name: 'show_active', type: 'char' },
  ],
  responseElement: 'GetStudentSchoolResponse',
  result: { kind: 'none' },
  bindings: new Set(['soap11', 'soap12']),
};

// Tight enough that a wrong count would show.
const LIMITS = { ...DEFAULT_LIMITS, xmlDepth: 4, xmlElements: 5, xmlAttributes: 4 };

function open(limits = LIMITS) {
  return new EnvelopeReader(NAMESPACE, limits, 'strict');
}

function read(reader: EnvelopeReader, text: string) {
  return reader.read(text, OPERATION, () => undefined);
}

/** Reads a text after others, some of which it may begin like. */
function readAfter(before: readonly string[], text: string) {
  const reader = open();
  for (const other of before) read(reader, other);
  return read(reader, text);
}

const VALUES = { school_base_url: 'http://s &amp; t', show_active: '89' };
const CALL = call('GetStudentSchool', VALUES);
const USUAL = envelope11(CALL);
const PREFIXED =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">\n <e:Body xmlns:e2="urn:e2" xmlns:t="http://tempuri.org/">' +
  '<t:GetStudentSchool><t:school_base_url>a<!-- c --></t:school_base_url><school_base_url/><e2:x/></t:GetStudentSchool>' +
  '<t:GetStudentSchool><t:show_active>8</t:show_active></t:GetStudentSchool></e:Body></e:Envelope>';

const FRAGMENTS = ['<', '>', '/', '"', ' ', '&', 'x', '\n', '\u0000', '<a/>', '</a>', ' a="1"', '<!--', 'ş'];

/** All places of a text, unless FUZZ_COUNT asks for fewer mutants than usual: then one in so many. */
const USUAL_MUTANTS = 20_000;
const EVERY = Math.max(1, Math.round(USUAL_MUTANTS / fuzzRun(USUAL_MUTANTS).count));

/** The text, and what it becomes when it ends, lacks a character or has a fragment more at each of its places. */
function mutantsOf(text: string): readonly string[] {
  const places = Array.from({ length: Math.ceil((text.length + 1) / EVERY) }, (_, at) => at * EVERY);
  return places.flatMap((at) => {
    const before = text.slice(0, at);
    const after = text.slice(at);
    return [before, before + after.slice(1), ...FRAGMENTS.map((fragment) => before + fragment + after)];
  });
}

describe('a request that begins like another', () => {
  it.each([
    ['as proxies write it', USUAL],
    ['of the other version', envelope12(CALL)],
    ['with a header', envelope11(CALL, '<h:Foo xmlns:h="urn:h">x</h:Foo>')],
    ['with a header that must be understood', envelope11(CALL, '<h:F xmlns:h="u" soap:mustUnderstand="1"/>')],
    ['with prefixes', PREFIXED],
    ['with an empty element', envelope11(`<GetStudentSchool xmlns="${NAMESPACE}"/>`)],
    ['with another element first', envelope11(`<a/>${CALL}`)],
    ['without an envelope', `<a><Body>${CALL}</Body></a>`],
    ['in another envelope', USUAL.replace('/soap/envelope/', '/soap/envelop3/')],
  ])('is read as if it were the first: %s', (_what, text) => {
    const misread = mutantsOf(text).filter(
      (mutant) => !isDeepStrictEqual(readAfter([text], mutant), read(open(), mutant)),
    );

    expect(misread.slice(0, 5)).toEqual([]);
  });

  it('is read with its own values', () => {
    const other = envelope11(call('GetStudentSchool', { school_base_url: 'b', show_active: '78' }));

    expect(readAfter([USUAL], other).parameters).toEqual({ school_base_url: 'b', show_active: 'N' });
    expect(readAfter([USUAL], envelope11(call('GetStudentSchool'))).parameters).toEqual({
      school_base_url: null,
      show_active: null,
    });
  });

  it('is read up to the end of its Body: a second one is not looked at', () => {
    const second = envelope11(
      `${CALL}</soap:Body><soap:Body>${call('GetStudentSchool', { school_base_url: 'second' })}`,
    );
    const reader = open(DEFAULT_LIMITS);
    read(reader, USUAL);

    expect(read(reader, second).parameters).toEqual({ school_base_url: 'http://s & t', show_active: 'Y' });
  });

  it('has its errors where they are in it', () => {
    const broken = USUAL.replace('</show_active>', '</show_activ>');

    expect(readAfter([USUAL], broken)).toEqual(read(open(), broken));
    expect(readAfter([USUAL], broken).error).toEqual({
      kind: 'malformed',
      message: expect.stringContaining("'show_active' start tag on line 1 position") as string,
    });
  });

  it('is read alike, whatever came between', () => {
    const between = Array.from({ length: 40 }, (_, n) => envelope11(`<a${String(n)}/>${CALL}`));
    const others = [PREFIXED, ...between, envelope12(CALL), ...between, PREFIXED];

    for (const text of [USUAL, PREFIXED, envelope12(CALL)]) {
      expect(readAfter(others, text)).toEqual(read(open(), text));
    }
  });
});

describe('the cache of prefixes', () => {
  it('samples the first miss and then one of sixteen', () => {
    const cache = new PrefixCache();
    const sampled = Array.from({ length: 50 }, () => cache.samples(USUAL));
    expect(sampled.flatMap((isSampled, at) => (isSampled ? [at] : []))).toEqual([0, 16, 32, 48]);
  });

  it('samples no text of more than 4,096 characters, and does not count it', () => {
    const cache = new PrefixCache();
    expect(cache.samples('x'.repeat(4097))).toBe(false);
    expect(cache.samples('x'.repeat(4096))).toBe(true);
  });

  it('keeps one prefix for each operation, the latest', () => {
    const cache = new PrefixCache();
    const prefix = (text: string) => ({
      text,
      point: { offset: text.length, open: [], declarations: [] },
      rootNamespace: '',
      elements: 3,
    });
    cache.keep(OPERATION, prefix('<first>'));
    cache.keep({ ...OPERATION, name: 'Other' }, prefix('<other>'));
    cache.keep(OPERATION, prefix('<second>'));

    expect(cache.find(OPERATION, '<first>...')).toBeUndefined();
    expect(cache.find(OPERATION, '<second>...')).toEqual(prefix('<second>'));
    expect(cache.find(OPERATION, '<second')).toBeUndefined();
    expect(cache.find(OPERATION, '<other>')).toBeUndefined();
  });
});
