import { gunzipSync } from 'node:zlib';

import { PACKAGE_ROOT, type RawResponse } from '../../../scripts/harness';
import { parseXml } from '../../harness/xml-tree';

/** Texts of the HTTP GET and POST bindings, without their last line end. */
const TEXTS: readonly RegExp[] = [
  /^Missing parameter: \w+\.$/,
  /^[^]* Web Service method name is not valid\.$/,
  /^Invalid method name &#39;[^]*with the same name but different casing was found\.\r\nParameter name: methodName$/,
  /^Cannot convert [^]* to (?:System|T)\.\w+\.\r\nParameter name: type ---> [^]+$/,
  /^Object reference not set to an instance of an object\.$/,
  /^Request format is invalid: [^]*\.$/,
  /^XML Web service description was not found\.$/,
  /^Schema not found\.$/,
];

const STACK = /\n\s+at |node_modules|node:internal|\.[cm]?[jt]s:\d/;

/** Why an answer breaks the rules that every answer keeps, or undefined. */
export function faultOf(response: RawResponse): string | undefined {
  const { status } = response;
  const isCompressed = response.header('Content-Encoding') === 'gzip' && response.body.length > 0;
  const text = isCompressed ? gunzipSync(response.body).toString('utf8') : response.text;
  // Only a document that did not change may be left out, and then all of it.
  if (status === 304) return text === '' ? undefined : 'a body where there is none';
  if (![200, 400, 404, 405, 408, 411, 413, 414, 415, 417, 431, 500].includes(status)) return 'an odd status';
  const leak = leakIn(text);
  if (leak !== undefined) return leak;

  const mediaType = response.header('Content-Type')?.split(';')[0];
  switch (mediaType) {
    case undefined:
      return text === '' ? undefined : 'a body without a type';
    case 'text/xml':
    case 'application/soap+xml':
      return status === 400 || status === 415 ? faultOfEmpty(text) : faultOfXml(text);
    case 'text/plain':
      return TEXTS.some((known) => known.test(text.replace(/\r\n$/, ''))) ? undefined : 'an unknown text';
    case 'text/html':
      return /^<!DOCTYPE html>[^]*<\/html>\s*$/i.test(text) || text === '' ? undefined : 'half a page';
    default:
      return 'an odd media type';
  }
}

/** Returns what a text shows of the service's inside, or undefined. */
export function leakIn(text: string): string | undefined {
  if (STACK.test(text)) return 'a stack trace';
  return text.includes(PACKAGE_ROOT) ? 'a path of this machine' : undefined;
}

function faultOfEmpty(text: string): string | undefined {
  return text === '' ? undefined : 'a body where there is none';
}

function faultOfXml(text: string): string | undefined {
  // A text may hold what XML 1.0 cannot; ASP.NET writes it all the same, as a reference or as it stands.
  const readable = text.replace(/&#x(?:[01]?[0-9A-F]|FFF[EF]);/g, '?').replace(/[\uFFFE\uFFFF]/g, '?');
  try {
    parseXml(readable);
    return undefined;
  } catch (error) {
    return `no XML (${String(error)})`;
  }
}
