import type { Request } from 'express';

import { ownProtocol, plainAddress, readForwardedRequest, type TraceContext } from '../../../asmx';
import { tokensOf } from '../../messages';

/** What one connection's two ends say to each other (RFC 9110, section 7.6.1), and what the next one writes itself. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is written anew for the old server. */
const FORWARDED: ReadonlySet<string> = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/**
 * Headers by which proxies describe the caller, its host, its certificate or the address it asked for. Applications
 * believe them without asking who wrote them, so those of a stranger stay behind.
 */
const WORDS_OF_PROXIES =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-original-.*|x-rewrite-url|x-arr-.*|(?:x-)?real-ip|(?:(?:x|true|cf|fastly)-)?(?:cluster-)?(?:client|connecting)-ip|front-end-https|x-url-scheme|x-host)$/;

/** W3C Trace Context. */
const OF_TRACES = ['traceparent', 'tracestate'] as const;

/** What nobody may have taken out by naming it in Connection: the message would become another. */
const NEEDED: ReadonlySet<string> = new Set(['content-length', 'host']);

/**
 * The headers of a message that go on to the next connection, names and values in turn, as written and in their order.
 *
 * @param staysBehind whether one more stays behind, given its name in lower case
 */
export function endToEnd(
  raw: readonly string[],
  staysBehind: (name: string) => boolean = () => false,
): string[] {
  let named: ReadonlySet<string> | undefined;
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'connection') named = new Set([...(named ?? []), ...tokensOf(raw[index + 1] ?? '')]);
    if (!OF_THE_CONNECTION.has(lower) && !staysBehind(lower)) kept.push(name, raw[index + 1] ?? '');
  }
  return named === undefined ? kept : withoutNamed(kept, named);
}

function withoutNamed(pairs: readonly string[], named: ReadonlySet<string>): string[] {
  return pairs.filter((_, index) => {
    const name = (pairs[index - (index % 2)] ?? '').toLowerCase();
    return NEEDED.has(name) || !named.has(name);
  });
}

/**
 * The headers of a request for the old server: those of the caller, and who that was. What the caller itself says of
 * that counts only where it is a proxy that is trusted.
 *
 * @param without lower-case names of more that stay behind
 * @param trace what the request is a part of, where that is not what the caller says
 */
export function requestHeaders(
  request: Request,
  without: readonly string[] = [],
  trace?: TraceContext,
): string[] {
  const left = new Set([...FORWARDED, ...without, ...(trace === undefined ? [] : OF_TRACES)]);
  const sender = plainAddress(request.socket.remoteAddress) ?? 'unknown';
  const trusted = readForwardedRequest(request);
  const headers = endToEnd(request.rawHeaders, (name) => {
    if (left.has(name)) return true;
    // IIS and CGI give an application the same variable for both spellings, and no proxy writes underscores.
    const hyphenated = name.replaceAll('_', '-');
    if (hyphenated === name) return trusted === undefined && WORDS_OF_PROXIES.test(name);
    return WORDS_OF_PROXIES.test(hyphenated) || NEEDED.has(hyphenated) || OF_THE_CONNECTION.has(hyphenated);
  });
  const before = trusted === undefined ? undefined : request.header('x-forwarded-for');
  headers.push('X-Forwarded-For', before === undefined ? sender : `${before}, ${sender}`);
  const host = trusted?.host ?? request.headers.host;
  if (host !== undefined) headers.push('X-Forwarded-Host', host);
  headers.push('X-Forwarded-Proto', trusted?.protocol ?? ownProtocol(request));
  if (trace !== undefined) headers.push('traceparent', trace.traceparent);
  if (trace?.tracestate !== undefined) headers.push('tracestate', trace.tracestate);
  return headers;
}
