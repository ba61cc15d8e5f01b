import type { HttpAnswer, HttpRequest } from '../messages';
import { compareBodies } from './bodies';
import { Differences, type Verdict, makeVerdict } from './verdict';
import { KNOWN_DIFFERENCES, withReasons } from './known-differences';
import { readMediaType } from '../../../asmx/internal';
import { maskedText } from '../masking';

export interface CompareOptions extends HeaderChoice {
  /** Request for both answers: needed to mark intended differences with their reasons. */
  readonly request?: HttpRequest;
}

/** Compares our answer to a request with the old server's. Never throws; values in the verdict are masked. */
export function compareAnswers(old: HttpAnswer, ours: HttpAnswer, options: CompareOptions = {}): Verdict {
  const differences = new Differences();
  if (old.status !== ours.status) {
    differences.add('status', 'status', 'changed', () => ({
      level: 'different',
      old: String(old.status),
      ours: String(ours.status),
    }));
  }
  compareHeaders(old, ours, options, differences);
  compareBodies(old, ours, differences);
  const found = differences.list();
  const { request } = options;
  return makeVerdict(
    request === undefined ? found : withReasons(found, { request, old, ours }, KNOWN_DIFFERENCES),
  );
}

/** Normalizes the value of a header to its meaning, for comparison. */
type Meaning = (value: string) => string;

const asWritten: Meaning = (value) => value;
/** Normalizes tokens in any order and letter case, such as methods and directives. */
const tokens: Meaning = (value) => [...new Set(pieces(value, ','))].sort().join(', ');

/** Headers that affect a client. */
const COMPARED: Readonly<Record<string, Meaning>> = {
  'content-type': mediaType,
  'content-encoding': tokens,
  'content-language': tokens,
  'content-disposition': asWritten,
  'cache-control': tokens,
  expires: asWritten,
  pragma: tokens,
  vary: tokens,
  allow: tokens,
  location: readPath,
  'www-authenticate': asWritten,
  'retry-after': asWritten,
  'set-cookie': cookies,
  'access-control-allow-origin': asWritten,
  'access-control-allow-credentials': tokens,
  'access-control-allow-headers': tokens,
  'access-control-allow-methods': tokens,
  'access-control-expose-headers': tokens,
};

/** Headers to compare in addition to the usual ones, and to leave out; in any letter case. */
interface HeaderChoice {
  readonly comparedHeaders?: readonly string[];
  readonly ignoredHeaders?: readonly string[];
}

/** Adds the differences of the relevant headers. */
function compareHeaders(
  old: HttpAnswer,
  ours: HttpAnswer,
  { comparedHeaders = [], ignoredHeaders = [] }: HeaderChoice,
  differences: Differences,
): void {
  const names = new Set([...Object.keys(COMPARED), ...comparedHeaders.map((name) => name.toLowerCase())]);
  for (const name of ignoredHeaders) names.delete(name.toLowerCase());
  const [theirs, own] = [readValues(old, names), readValues(ours, names)];
  for (const name of names) compareHeader(name, theirs.get(name), own.get(name), differences);
}

function compareHeader(
  name: string,
  old: string | undefined,
  ours: string | undefined,
  differences: Differences,
): void {
  if (old === ours) return;
  const meaning = Object.hasOwn(COMPARED, name) ? (COMPARED[name] ?? asWritten) : asWritten;
  const values = {
    ...(old !== undefined && { old: maskedText(old) }),
    ...(ours !== undefined && { ours: maskedText(ours) }),
  };
  if (old === undefined) differences.add('header', name, 'added', () => ({ level: 'different', ...values }));
  else if (ours === undefined)
    differences.add('header', name, 'missing', () => ({ level: 'different', ...values }));
  else if (meaning(old) === meaning(ours))
    differences.add('header', name, 'writing', () => ({ level: 'xml', ...values }));
  else differences.add('header', name, 'changed', () => ({ level: 'different', ...values }));
}

/** Joins repeated headers to one list. */
function readValues({ headers }: HttpAnswer, names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!names.has(key)) continue;
    const before = values.get(key);
    values.set(key, before === undefined ? value : `${before}${key === 'set-cookie' ? '\n' : ', '}${value}`);
  }
  return values;
}

function pieces(value: string, separator: string): readonly string[] {
  return value
    .split(separator)
    .map((piece) => piece.trim().toLowerCase())
    .filter((piece) => piece !== '');
}

/** Normalizes a media type: canonical charset name, other parameters in any order. */
function mediaType(value: string): string {
  const { name, charset } = readMediaType(value);
  const others = value
    .split(';')
    .slice(1)
    .map(parameter)
    .filter((piece) => piece !== '' && !piece.startsWith('charset='))
    .sort();
  return [name.trim(), charset === undefined ? '' : charsetName(charset), ...others].join(';');
}

/** Normalizes `Name = "value"`: no blanks and quotes, the name in lower case. */
function parameter(piece: string): string {
  const [name = '', ...value] = piece.trim().split('=');
  if (value.length === 0) return name;
  return `${name.trim().toLowerCase()}=${value.join('=').trim().replace(/^"|"$/g, '')}`;
}

function charsetName(charset: string): string {
  const name = charset.toLowerCase();
  return ['utf8', 'unicode-1-1-utf-8'].includes(name) ? 'utf-8' : name;
}

/** Returns the path of a URL, because each server names itself. */
function readPath(value: string): string {
  return value.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

/** Returns names and attributes of cookies, because the values are made for each caller. */
function cookies(value: string): string {
  return value
    .split('\n')
    .map((line) =>
      line
        .replace(/=[^;]*/, '')
        .toLowerCase()
        .replace(/\bexpires=[^;]*/, 'expires'),
    )
    .map((line) => pieces(line, ';').join('; '))
    .sort()
    .join('\n');
}
