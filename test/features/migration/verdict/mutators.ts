import type { Header, HttpAnswer } from '../../../../src/features/migration/messages';
import type { Level, Part } from '../../../../src/features/migration/verdict/verdict';
import type { Random } from '../../../harness/random';

/** One change to an answer, and what is to be said of it. */
export interface Mutation {
  readonly answer: HttpAnswer;
  readonly level: Level;
  /** Where the difference is; undefined where there is none to tell. */
  readonly part: Part | undefined;
}

/** Changes an answer once; undefined where it has nothing to change. */
export type Mutator = (answer: HttpAnswer, random: Random) => Mutation | undefined;

interface Place {
  readonly before: string;
  readonly match: RegExpExecArray;
  readonly after: string;
}

/** One of the places where a document matches. */
function placeIn(text: string, pattern: RegExp, random: Random): Place | undefined {
  const [first, ...others] = [...text.matchAll(new RegExp(pattern, 'gs'))];
  if (first === undefined) return undefined;
  const match = random.pick([first, ...others]);
  return { match, before: text.slice(0, match.index), after: text.slice(match.index + match[0].length) };
}

function typeOf({ headers }: HttpAnswer): string {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
}

/** Changes the document of an answer that is XML, where it matches. */
function inXml(
  level: Level,
  pattern: RegExp,
  replace: (match: RegExpExecArray, random: Random) => string | undefined,
): Mutator {
  return (answer, random) => {
    if (!/[/+]xml/.test(typeOf(answer)) || answer.body.length === 0) return undefined;
    const place = placeIn(answer.body.toString(), pattern, random);
    const replaced = place && replace(place.match, random);
    if (place === undefined || replaced === undefined || replaced === place.match[0]) return undefined;
    return {
      answer: { ...answer, body: Buffer.from(place.before + replaced + place.after) },
      level,
      part: 'body',
    };
  };
}

/** Changes all of an XML document. */
function allXml(level: Level, change: (text: string) => Buffer | string): Mutator {
  return (answer) => {
    if (!/[/+]xml/.test(typeOf(answer)) || answer.body.length === 0) return undefined;
    const body = Buffer.from(change(answer.body.toString()));
    return body.equals(answer.body) ? undefined : { answer: { ...answer, body }, level, part: 'body' };
  };
}

function inHeaders(
  level: Level,
  change: (headers: readonly Header[]) => readonly Header[] | undefined,
): Mutator {
  return (answer) => {
    const headers = change(answer.headers);
    const part = level === 'bytes' ? undefined : 'header';
    return headers === undefined ? undefined : { answer: { ...answer, headers }, level, part };
  };
}

/** The headers with the value of one changed; undefined where it is not there, or stays. */
function withValue(
  headers: readonly Header[],
  wanted: string,
  change: (value: string) => string,
): readonly Header[] | undefined {
  const changed = headers.map(([name, value]): Header => [
    name,
    name.toLowerCase() === wanted ? change(value) : value,
  ]);
  return changed.every(([, value], at) => value === headers[at]?.[1]) ? undefined : changed;
}

/** A text with one of its letters or digits changed. */
function otherLetter(text: string, random: Random): string | undefined {
  const place = placeIn(text, /[A-Za-z0-9]/, random);
  return place && `${place.before}${place.match[0] === 'q' ? 'w' : 'q'}${place.after}`;
}

/** A text of an element that is no white space: what is before it, and itself. */
const TEXT = /(>)([^<>&]*[A-Za-z0-9][^<>&]*)(?=<)/;
/** The name of an element, and an attribute in it that declares no namespace. */
const ATTRIBUTE = /(<[\w:]+(?: [\w:]+="[^"]*")*? )((?!xmlns)[\w:]+)="([^"<&]*[A-Za-z0-9][^"<&]*)"/;
const LEAF = /<([\w:]+)>[^<]*<\/\1>/;

export const MUTATORS: Readonly<Record<string, Mutator>> = {
  'a letter of a text': inXml('different', TEXT, ([, before = '', text = ''], random) => {
    const other = otherLetter(text, random);
    return other && before + other;
  }),
  'a blank behind a text': inXml(
    'different',
    /<(?!faultcode|soap:Value)[\w:]+>[^<>]*\S(?=<\/)/,
    ([text]) => `${text} `,
  ),
  'a letter of an attribute': inXml(
    'different',
    ATTRIBUTE,
    ([, before = '', name = '', value = ''], random) => {
      const other = otherLetter(value, random);
      return other && `${before}${name}="${other}"`;
    },
  ),
  'an attribute in addition': inXml('different', /<[A-Za-z][\w:]*/, ([start]) => `${start} extra="1"`),
  'an attribute less': inXml('different', ATTRIBUTE, ([, before = '']) => before.trimEnd()),
  'the order of two elements': inXml(
    'order',
    /(?<one><(?<name>[\w:]+)>[^<]*<\/\k<name>>)(?<space>\s*)(?<other><(?<next>[\w:]+)>[^<]*<\/\k<next>>)/,
    ({ groups: { one = '', space = '', other = '' } = {} }) => other + space + one,
  ),
  'the order of a list': inXml(
    'order',
    /(<StudentInfo>.*?<\/StudentInfo>)(\s*)(<StudentInfo>.*?<\/StudentInfo>)/,
    ([, one = '', space = '', other = '']) => other + space + one,
  ),
  'a namespace': inXml(
    'different',
    /xmlns="(http[^"]*)"|xmlns:(?:soap|wsdl)="(http:\/\/schemas[^"]*\/(?:envelope|wsdl)\/)"/,
    ([all]) => all.replace(/\w(?=\W*$)/, (letter) => (letter === 'q' ? 'w' : 'q')),
  ),
  'a character as a reference': inXml('xml', TEXT, ([, before = '', text = ''], random) => {
    const place = placeIn(text, /\S/, random);
    return place && `${before}${place.before}&#${String(place.match[0].charCodeAt(0))};${place.after}`;
  }),
  'a reference as a character': inXml('xml', /(?<!\]\])&gt;(?=[^<>]*<)/, () => '>'),
  'a reference to another character': inXml('different', /&(?:gt|amp|lt);/, ([reference]) =>
    reference === '&gt;' ? '&lt;' : '&gt;',
  ),
  'white space between elements': inXml('xml', /(?:<\/[\w:]+>|\/>)(?=<)/, ([end]) => `${end}\r\n  `),
  'white space in a tag': inXml('xml', /<[A-Za-z][\w:]*(?=[ >])/, ([start]) => `${start}\n `),
  'a prefix': allXml('xml', (text) =>
    text.replace(/(<\/?|xmlns:)soap(?=[:=])/g, '$1p').replace(/(>|qname=")soap:(?=\w+["<])/g, '$1p:'),
  ),
  'a CDATA section': inXml('xml', TEXT, ([, before = '', text = '']) => `${before}<![CDATA[${text}]]>`),
  'a comment': inXml('xml', /(?<=>[^<]*)<(?=[/\w])/s, ([start]) => `<!-- - -->${start}`),
  'an instruction': inXml('xml', /(?<=>[^<]*)<(?=[/\w])/s, ([start]) => `<?p q?>${start}`),
  'no declaration': allXml('xml', (text) => text.replace(/^<\?xml[^>]*>\s*/, '')),
  'a byte order mark': allXml('xml', (text) => `\u{feff}${text}`),
  'another encoding': allXml('xml', (text) => Buffer.from(`\u{feff}${text}`, 'utf16le')),
  'the form of an empty element': inXml(
    'xml',
    /<([\w:]+)((?: [\w:]+="[^"]*")*) \/>/,
    ([, name = '', attributes = '']) => `<${name}${attributes}></${name}>`,
  ),
  quotes: inXml('xml', /(?<=<[A-Za-z][^<>]*)="([^"'<>]*)"/s, ([, value = '']) => `='${value}'`),
  'the order of attributes': inXml(
    'xml',
    /(?<=<[A-Za-z][^<>]*)( [\w:]+="[^"]*")( [\w:]+="[^"]*")/s,
    ([, one = '', other = '']) => other + one,
  ),
  'true of xsi:nil': inXml('xml', /nil="true"/, () => 'nil="1"'),
  'an element less': inXml('different', LEAF, () => ''),
  'an element twice': inXml('different', LEAF, ([element]) => element + element),
  'different name': inXml(
    'different',
    /<([\w:]+)>([^<]*)<\/\1>/,
    ([, name = '', text = '']) => `<${name}q>${text}</${name}q>`,
  ),
  'the end cut off': (answer, random) => {
    if (answer.body.length === 0) return undefined;
    const body = answer.body.subarray(0, random.below(answer.body.length));
    return { answer: { ...answer, body }, level: 'different', part: 'body' };
  },
  'a letter of a plain text': (answer, random) => {
    if (!typeOf(answer).startsWith('text/plain')) return undefined;
    const other = otherLetter(answer.body.toString(), random);
    return other === undefined
      ? undefined
      : { answer: { ...answer, body: Buffer.from(other) }, level: 'different', part: 'body' };
  },
  'the line end of a plain text': (answer) => {
    if (!typeOf(answer).startsWith('text/plain')) return undefined;
    const body = Buffer.from(answer.body.toString().replace(/\r\n$/, '\n'));
    return body.equals(answer.body)
      ? undefined
      : { answer: { ...answer, body }, level: 'different', part: 'body' };
  },
  'the status': (answer, random) => {
    const status = random.pick([200, 201, 302, 400, 403, 404, 405, 415, 500, 503]);
    return status === answer.status
      ? undefined
      : { answer: { ...answer, status }, level: 'different', part: 'status' };
  },
  'the media type': inHeaders('different', (headers) =>
    withValue(headers, 'content-type', (value) => `x${value}`),
  ),
  'the charset': inHeaders('different', (headers) =>
    withValue(headers, 'content-type', (value) => value.replace('utf-8', 'utf-16')),
  ),
  'the spelling of the media type': inHeaders('xml', (headers) =>
    withValue(headers, 'content-type', (value) => value.toUpperCase().replace('; ', ' ;')),
  ),
  'a directive for caches': inHeaders('different', (headers) =>
    withValue(headers, 'cache-control', () => 'public'),
  ),
  'a header less': inHeaders('different', (headers) =>
    headers.some(([name]) => /^cache-control$/i.test(name))
      ? headers.filter(([name]) => !/^cache-control$/i.test(name))
      : undefined,
  ),
  'a header that counts': inHeaders('different', (headers) => [...headers, ['Retry-After', '5']]),
  'a header that does not': inHeaders('bytes', (headers) => [
    ...headers,
    ['Server', 'Microsoft-IIS/10.0'],
    ['Date', 'now'],
  ]),
  'letter case in names of headers': inHeaders('bytes', (headers) =>
    headers.map(([name, value]) => [name.toUpperCase(), value]),
  ),
};
