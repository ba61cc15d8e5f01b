// One request must not cost more than its length accounts for.

import { element, listOf, operationOf, READING_RULES } from '../harness/contract-types';
import { analyse } from 'scslre';
import ts from 'typescript';

import type { PlainName, ValueType } from '../../src/asmx/contract/values';
import { EnvelopeReader } from '../../src/asmx/soap/envelope-reader';
import { readMediaType } from '../../src/asmx/http/media-type';
import { envelope11, NAMESPACE } from '../../scripts/harness';
import { readRepositoryFile, repositoryFiles } from '../harness/repository-files';
import { growthOf } from '../harness/growth';

/** Separates growth with the length, near 1, from growth with its square, near 16. */
const MAX_RATIO = 5;

interface Expression {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

const SOURCES = repositoryFiles('.ts').filter((path) => path.startsWith('src/'));
const literals: Expression[] = [];
const composed: string[] = [];
for (const path of SOURCES) {
  const file = ts.createSourceFile(path, readRepositoryFile(path), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      literals.push({ path, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText() === 'RegExp'
    ) {
      composed.push(`${path}: ${node.arguments?.map((argument) => argument.getText()).join(', ') ?? ''}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** Lists what is repeated to make a hostile text; each is tried with each of the ends. */
const REPEATED = [
  ' ',
  '\t',
  '"',
  "'",
  'a',
  '0',
  '/',
  ':',
  '.',
  '-',
  '@',
  '[',
  '&',
  '%41',
  '\\',
  '\uFFFD',
  'é',
];
const BEGINNINGS = ['', 'a://', '<?xml version="', '<?xml ', '/a.asmx', '&#'];
const END = '\u0001[';
const HOSTILE = BEGINNINGS.flatMap((beginning) =>
  REPEATED.map((repeated) => (length: number) => `${beginning}a${repeated.repeat(length)}${END}`),
);

describe('the regular expressions of src', () => {
  it('are found', () => {
    expect(literals.length).toBeGreaterThan(80);
  });

  it('are all literals, except for character sets, description lookups at start and server addresses; operators’ expressions are compiled by RE2', () => {
    expect(composed).toEqual([
      'src/asmx/contract/contract-reader.ts: `[ \\\\t]*<wsdl:${element} name="${name}"(?:[^>]*/>|[^>]*>[^]*?</wsdl:${element}>)[ \\\\t]*\\\\r?\\\\n?`',
      "src/asmx/xml/xml-characters.ts: `[${START}]`, 'u'",
      "src/asmx/xml/xml-characters.ts: `[${PART}]`, 'uy'",
      'src/asmx/xml/xml-characters.ts: `[&<>]|${FORBIDDEN_IN_TEXT.source}`',
      "src/features/migration/comparing/compare-request.ts: `(?<![\\\\w.-])${from.replace(/[.[\\]]/g, '\\\\$&')}(?![\\\\w.:-])`, 'g'",
      "src/features/migration/reverse-proxy/forwarded-headers.ts: `${escaped}(?=[/?#\"'<\\\\s]|$)`, 'gi'",
    ]);
  });

  it.each(literals)('need steps in proportion to the text: $path /$source/$flags', ({ source, flags }) => {
    const { reports } = analyse({ source, flags }, { assumeRejectingSuffix: false });
    // A report refers to itself, and Jest could not write its results.
    expect(reports.map(({ character }) => character.pick)).toEqual([]);
  });

  it.each(literals)(
    'need no extra time for a long hostile text: $path /$source/$flags',
    ({ source, flags }) => {
      // As `replaceAll` and `split` use them: on from where the last match ended.
      const expression = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
      const slow = HOSTILE.find(
        (make) => growthOf((text) => text.replace(expression, ''), make, 500, MAX_RATIO) > MAX_RATIO,
      );
      expect(slow?.(3)).toBeUndefined();
    },
  );
});

describe('the reading of a request', () => {
  it('needs no extra time for a Content-Type of blanks', () => {
    const make = (length: number): string => `text/xml; charset=a${' '.repeat(length)}b`;
    expect(growthOf(readMediaType, make, 400, MAX_RATIO)).toBeLessThan(MAX_RATIO);
  });

  it.each([
    ['texts with a bracket', '<a>]</a>'],
    ['texts with a reference', '<a>&amp;</a>'],
    ['texts with a line end', '<a>\r</a>'],
    ['attributes with a reference', '<a b="&amp;"/>'],
    ['attributes with a line end', '<a b="\r"/>'],
    ['declarations', '<a xmlns="urn:a" xmlns:b="urn:b"/>'],
    ['comments', '<!---->'],
    ['sections', '<![CDATA[]]>'],
    ['instructions', '<?a ?>'],
  ])('needs no extra time for an envelope of many %s', (_what, part) => {
    const reader = new EnvelopeReader(
      NAMESPACE,
      { xmlDepth: 64, xmlAttributes: 128, xmlElements: Infinity, xmlNameCharacters: 256 },
      READING_RULES,
      [],
    );
    const make = (length: number): string => {
      const envelope = 'http://schemas.xmlsoap.org/soap/envelope/';
      return `<e:Envelope xmlns:e="${envelope}"><e:Body><o>${part.repeat(length)}${'x'.repeat(1000 * length)}</o></e:Body></e:Envelope>`;
    };
    const read = (text: string): void => {
      expect(reader.read(text, undefined, () => undefined).error).toBeUndefined();
    };
    expect(growthOf(read, make, 400, MAX_RATIO)).toBeLessThan(MAX_RATIO);
  });

  const record = (name: string): ValueType => ({
    kind: 'record',
    name,
    attributes: [],
    elements: [element('a', 'int', { optional: true }), element('b', 'dateTime', { optional: true })],
  });
  const digits = (length: number): string => '9'.repeat(length);
  it.each<readonly [string, PlainName | ValueType, (length: number) => string, 'value' | 'error']>([
    ['an int of many digits', 'int', digits, 'error'],
    ['a long of many digits', 'long', digits, 'error'],
    ['a long of many zeros', 'long', (length) => `${'0'.repeat(length)}7`, 'value'],
    ['a decimal of many digits', 'decimal', digits, 'error'],
    ['a decimal of many places', 'decimal', (length) => `0.${'1'.repeat(length)}`, 'value'],
    ['a double of many digits', 'double', (length) => `0.${digits(length)}`, 'value'],
    ['a date of many places', 'dateTime', (length) => `2026-11-22T08:30:00.${digits(length)}`, 'value'],
    ['a boolean among many blanks', 'boolean', (length) => `true${' '.repeat(length)}x`, 'error'],
    ['many bytes', 'base64Binary', (length) => 'AAAA'.repeat(length), 'value'],
    ['many bytes with blanks between', 'base64Binary', (length) => 'A A\nAA '.repeat(length), 'value'],
    ['an enumeration', { kind: 'enumeration', name: 'E', values: ['Low'] }, digits, 'error'],
    ['a list', listOf(element('int', 'int')), (length) => '<int>1</int>'.repeat(length), 'value'],
    [
      'a list of records',
      listOf(element('R', record('R'))),
      (length) => '<R><a>1</a><c/></R>'.repeat(length),
      'value',
    ],
    ['a record of one element many times', record('R'), (length) => '<a>1</a>'.repeat(length), 'value'],
  ])('needs no extra time for %s', (_what, type, make, expected) => {
    const operation = operationOf('o', element('v', type));
    const bounds = { xmlDepth: 64, xmlAttributes: 128, xmlElements: Infinity, xmlNameCharacters: 256 };
    const reader = new EnvelopeReader(NAMESPACE, bounds, READING_RULES, [operation]);
    const read = (text: string): void => {
      const { error } = reader.read(
        envelope11(`<o xmlns="${NAMESPACE}"><v>${text}</v></o>`),
        operation,
        () => undefined,
      );
      expect(error === undefined ? 'value' : 'error').toBe(expected);
    };
    expect(growthOf(read, make, 10_000, MAX_RATIO)).toBeLessThan(MAX_RATIO);
  });
});
