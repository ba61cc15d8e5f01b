import type { Random } from '../../harness/random';
import { formatRequest, type RawRequest, SOAP_11, SOAP_12 } from '../../../scripts/harness';

/** A mutated request: either framed as HTTP asks, so that an answer must come, or bytes without that promise. */
export type Mutant =
  | { readonly framed: true; readonly request: RawRequest }
  | { readonly framed: false; readonly bytes: Buffer };

/** Pieces that parsers stumble over. */
const TOKENS: readonly [string, ...string[]] = [
  '<',
  '>',
  '&',
  '"',
  "'",
  '/>',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '<?',
  '<?xml version="1.0"?>',
  '<!DOCTYPE a [<!ENTITY x "y">]>',
  '&x;',
  '&amp;',
  '&#0;',
  '&#1;',
  '&#xD800;',
  '&#x1F600;',
  '\0',
  '\u0001',
  '\u00FF',
  '\u00C0\u00AF',
  '\u00EF\u00BB\u00BF',
  '\r\n',
  '%',
  '%00',
  '%zz',
  '%u0130',
  '%uD83D',
  '+',
  '=',
  ';',
  ' xmlns=""',
  ' xmlns:p="urn:p"',
  ' id="__proto__"',
  ' xsi:nil="true"',
  ' soap:mustUnderstand="1"',
  ' a="1" a="2"',
  '<__proto__/>',
  '<id>8</id>',
  '<soap:Body>',
  '</soap:Body>',
  SOAP_11,
  SOAP_12,
  '9'.repeat(400),
  'A'.repeat(5000),
  '<a>'.repeat(100),
];

const METHODS: readonly [string, ...string[]] = [
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'DELETE',
  'OPTIONS',
  'get',
  'FOO',
];

const HEADERS: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'text/xml'],
  ['Content-Type', 'application/soap+xml; charset=utf-16'],
  ['Content-Type', 'application/soap+xml; action="http://tempuri.org/Nope"'],
  ['Content-Type', 'application/x-www-form-urlencoded; charset=iso-8859-9'],
  ['Content-Type', ''],
  ['SOAPAction', ''],
  ['SOAPAction', '"'],
  ['SOAPAction', '"http://tempuri.org/GetTokenDevice"'],
  ['SOAPAction', '%zz'],
  ['Expect', '100-continue'],
  ['Content-Encoding', 'gzip'],
  ['Accept-Encoding', 'gzip'],
  ['Host', '"><x>'],
  ['X-Forwarded-Host', 'a"b'],
  ['Upgrade', 'h2c'],
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
];

type Edit = (bytes: Buffer, random: Random) => Buffer;

function splice(bytes: Buffer, at: number, removed: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
}

const EDITS: readonly [Edit, ...Edit[]] = [
  function flipBit(bytes, random) {
    const copy = Buffer.from(bytes);
    const at = random.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    return copy;
  },
  function replaceByte(bytes, random) {
    return splice(bytes, random.below(bytes.length), 1, Buffer.from([random.below(256)]));
  },
  function remove(bytes, random) {
    return splice(bytes, random.below(bytes.length), 1 + random.below(20), Buffer.alloc(0));
  },
  function duplicate(bytes, random) {
    const at = random.below(bytes.length);
    return splice(bytes, at, 0, bytes.subarray(at, at + 1 + random.below(60)));
  },
  function insertToken(bytes, random) {
    return splice(bytes, random.below(bytes.length), 0, Buffer.from(random.pick(TOKENS), 'latin1'));
  },
  function cut(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length));
  },
];

/** Applies one to three edits; an empty text stays empty. */
function edit(bytes: Buffer, random: Random): Buffer {
  let edited = bytes;
  for (let left = 1 + random.below(3); left > 0 && edited.length > 0; left -= 1) {
    edited = random.pick(EDITS)(edited, random);
  }
  return edited;
}

function editText(text: string, random: Random): string {
  return edit(Buffer.from(text, 'latin1'), random).toString('latin1');
}

function mutateHeaders(request: RawRequest, random: Random): RawRequest {
  const headers = [...(request.headers ?? [])];
  const at = random.below(headers.length + 1);
  const chosen = headers[at];
  if (chosen === undefined || random.once(2)) headers.splice(at, 0, random.pick(HEADERS));
  else if (random.once(3)) headers.splice(at, 1);
  else headers[at] = [chosen[0], editText(chosen[1], random).replace(/[\r\n]/g, ' ')];
  return { ...request, headers };
}

function mutateTarget(request: RawRequest, random: Random): RawRequest {
  if (random.once(4)) return { ...request, method: random.pick(METHODS) };
  // A blank or a line end would end the request line, which is what unframed mutants are for.
  const path = editText(request.path, random).replace(/[\s\0]/g, '_');
  return { ...request, path: path.startsWith('/') ? path : `/${path}` };
}

/** Makes a mutant of a good request. */
export function mutate(request: RawRequest, random: Random): Mutant {
  if (random.once(8)) {
    return { framed: false, bytes: edit(formatRequest(request, 'localhost'), random) };
  }
  const { body } = request;
  let mutant = request;
  if (body !== undefined && !random.once(4)) mutant = { ...mutant, body: edit(Buffer.from(body), random) };
  else mutant = random.once(2) ? mutateHeaders(mutant, random) : mutateTarget(mutant, random);
  if (random.once(6)) mutant = mutateHeaders(mutant, random);
  return { framed: true, request: mutant };
}
