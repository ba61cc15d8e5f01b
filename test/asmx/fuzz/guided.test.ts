// The wire contract, sections 3 to 5: what reads a caller's text, against a second account of the same rules.

import { isIPv6 } from 'node:net';
import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { type FormParameters, readFormParameters, urlDecode } from '../../../src/asmx/http/form-parameters';
import { readRequestPath } from '../../../src/asmx/http/request-path';
import { readForwardedElements } from '../../../src/asmx/http/forwarded-request';
import { fuzzByCoverage, type FuzzTarget } from '../../harness/coverage-guided';
import { fuzzRun } from '../../harness/fuzz-run';
import { isDisputed, judge, ours } from '../xml/xml-judge';
import { DOCUMENTS, FRAGMENTS } from '../xml/xml-mutants';

const RUN = fuzzRun(300);

/** The rules of decoding, as one pattern. */
function decoded(text: string): string {
  return text
    .replace(/((?:%[\da-f]{2})+)|%u([\dA-Fa-f]{4})|\+/gi, (whole, bytes?: string, unit?: string) => {
      if (bytes !== undefined) return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString();
      if (unit === undefined) return ' ';
      return whole.startsWith('%u') ? String.fromCharCode(Number.parseInt(unit, 16)) : whole;
    })
    .toWellFormed();
}

/** The pairs of a form, each name with its values. */
function formOf(text: string): FormParameters {
  const pairs = text.split('&').filter((pair) => pair !== '');
  const named = pairs
    .filter((pair) => pair.includes('='))
    .map((pair) => [...(/^([^=]*)=(.*)$/s.exec(pair) ?? [])].slice(1).map(decoded))
    .map(([name = '', value = '']) => ({ name: name.toLowerCase(), value }));
  const valuesOf = (wanted: string): readonly string[] =>
    named.filter(({ name }) => name === wanted).map(({ value }) => value);
  const unnamed = pairs.filter((pair) => !pair.includes('=')).map(decoded);
  const repeated = named
    .map(({ name }) => [name, valuesOf(name)] as const)
    .filter(([, values]) => values.length > 1);
  return {
    named: new Map(named.map(({ name }) => [name, valuesOf(name).join(',')])),
    repeated: repeated.length === 0 ? undefined : new Map(repeated),
    unnamed: unnamed.length === 0 ? undefined : unnamed.join(','),
  };
}

/** The elements of a Forwarded header, by patterns that take a quoted string for one sign. */
function elementsOf(header: string): ReturnType<typeof readForwardedElements> {
  const parts = (text: string, separator: string): readonly string[] => {
    const part = new RegExp(`(?:"(?:\\\\[^]|[^"\\\\])*(?:"|\\\\?$)|[^"${separator}])*`, 'gy');
    const found: string[] = [];
    for (let at = 0; at <= text.length; at = part.lastIndex + 1) {
      part.lastIndex = at;
      found.push(part.exec(text)?.[0] ?? '');
      part.lastIndex = at + (found.at(-1) ?? '').length;
    }
    return found;
  };
  return parts(header, ',').map((element) => {
    const valueOf = (wanted: string): string | undefined =>
      parts(element, ';')
        .map((pair) => /^([^=]*)=(.*)$/s.exec(pair) ?? ['', '', pair])
        .filter(([, name]) => name?.trim().toLowerCase() === wanted)
        .map(([, , value = '']) => value.trim())
        .map((value) => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value))
        .at(-1);
    const sender = valueOf('for');
    return {
      for:
        sender &&
        (/^\[(.*?)\]/s.exec(sender)?.[1] ?? (isIPv6(sender) ? sender : sender.replace(/:[^:]*$/, ''))),
      proto: valueOf('proto'),
      host: valueOf('host'),
    };
  });
}

/** The path that leads to an endpoint, by Node's own reading of paths; undefined where it leads to none. */
function pathOf(text: string): string | undefined {
  const local = text.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
  const decode = (run: string): string => Buffer.from(run.replaceAll('%', ''), 'hex').toString();
  const path = posix.normalize(local.replace(/(?:%[\da-f]{2})+/gi, decode)).replace(/\/$/, '');
  return /^\/[^/]+\.asmx(?:\/|$)/is.test(path) ? path : undefined;
}

/** Compared by hand first: an assertion each would take most of the time. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

const ESCAPES = [
  '%',
  '+',
  '%u',
  '%U',
  '%41',
  '%C5%9F',
  '%c5',
  '%uD83D',
  '%uDE00',
  '%zz',
  '&',
  '=',
  'ş',
  '😀',
] as const;

const TARGETS: Readonly<Record<string, FuzzTarget>> = {
  'the XML reader': {
    source: 'src/asmx/xml/',
    seeds: [DOCUMENTS[0], ...DOCUMENTS.slice(1)],
    tokens: FRAGMENTS,
    check: (text) => {
      const document = text.toWellFormed();
      if (!isDisputed(document)) expectSame(ours(document), judge(document));
    },
  },
  'URL decoding': {
    source: 'src/asmx/http/form-parameters.ts',
    seeds: ['a+b'],
    tokens: [...ESCAPES],
    check: (text) => {
      expectSame(urlDecode(text), /[%+]/.test(text) ? decoded(text) : text);
    },
  },
  forms: {
    source: 'src/asmx/http/form-parameters.ts',
    seeds: ['id=1'],
    tokens: [...ESCAPES],
    check: (text) => {
      expectSame(readFormParameters(text.toWellFormed()), formOf(text.toWellFormed()));
    },
  },
  'request paths': {
    source: 'src/asmx/http/request-path.ts',
    seeds: ['/A.asmx/Op'],
    tokens: [
      '/',
      '//',
      '.',
      '/..',
      '/../',
      '%2e',
      '%2F',
      '%5c',
      '<',
      ':',
      '.asmx',
      '.ASMX',
      '%FF',
      '?',
      '\n',
    ],
    check: (text) => {
      const read = readRequestPath(text);
      // What a dot at the end leaves behind is a slash for the one and nothing for the other.
      expectSame(read && `${read.path}${read.pathInfo}`.replace(/\/$/, ''), pathOf(text));
    },
  },
  'the Forwarded header': {
    source: 'src/asmx/http/',
    seeds: ['for=a'],
    tokens: ['"', '\\', '\\"', ',', ';', '=', ':', '[', ']', ' ', 'for=', 'host=', 'proto='],
    check: (text) => {
      expectSame(readForwardedElements(text), elementsOf(text));
    },
  },
};

it.each(Object.entries(TARGETS))(
  `%s, by mutants that reach new code: ${RUN.title}`,
  async (_what, target) => {
    const corpus = await fuzzByCoverage(target, RUN);
    // Coverage must have led somewhere.
    expect(corpus.length).toBeGreaterThan(target.seeds.length);
  },
  RUN.timeout,
);
