import type { Request, Response } from 'express';

import {
  ownProtocol,
  plainAddress,
  readForwardedRequest,
  readPublicAddress,
  type TraceContext,
} from '../../../asmx/internal';
import { parseTokens } from '../messages';

/** The old server's own address in its documents, and the address under which callers reach it. */
export interface AddressChange {
  readonly from: string;
  readonly to: string;
}

/** Longer documents are returned unchanged. */
const MAX_BYTES = 1024 * 1024;
const DOCUMENT = /^(?:text\/(?:xml|html)|application\/(?:[\w.-]+\+)?xml)\s*(?:;|$)/i;

/**
 * Returns the change, or undefined if both are equal, which they are unless a proxy before the old server
 * changes scheme, host or path.
 *
 * @param publicAddress address under which callers reach this server, unless it is learnt from requests
 */
export function addressChange(
  request: Request,
  oldUrl: string,
  publicAddress: string | undefined,
): AddressChange | undefined {
  const { host } = request.headers;
  if (host === undefined) return undefined;
  const { protocol, authority, prefix } = readPublicAddress(request);
  // The old server sees the scheme of our connection, and the host that the request names.
  const isTls = oldUrl.startsWith('https:');
  const from = `${isTls ? 'https' : 'http'}://${host.replace(isTls ? /:443$/ : /:80$/, '')}`;
  const to = publicAddress ?? `${protocol}://${authority}${prefix}`;
  return from === to ? undefined : { from, to };
}

/** Writes an answer to the caller as it arrives. */
export interface AnswerWriter {
  head(status: number, message: string, headers: readonly string[]): void;
  /** @returns true if the caller is ready for more */
  piece(piece: Buffer): boolean;
  end(): void;
}

/** Writes the answer unchanged. */
export class DirectWriter implements AnswerWriter {
  readonly #response: Response;

  constructor(response: Response) {
    this.#response = response;
  }

  head(status: number, message: string, headers: readonly string[]): void {
    this.#response.sendDate = false;
    this.#response.writeHead(status, message, [...headers]);
  }

  piece(piece: Buffer): boolean {
    return this.#response.write(piece);
  }

  end(): void {
    this.#response.end();
  }
}

/** Buffers a document until it is complete, and replaces the address in it. */
export class ReaddressingWriter implements AnswerWriter {
  readonly #out: AnswerWriter;
  readonly #change: AddressChange;
  #held:
    { readonly head: Parameters<AnswerWriter['head']>; readonly pieces: Buffer[]; bytes: number } | undefined;

  constructor(out: AnswerWriter, change: AddressChange) {
    this.#out = out;
    this.#change = change;
  }

  head(status: number, message: string, headers: readonly string[]): void {
    const isText =
      DOCUMENT.test(findValue(headers, 'content-type')) && findValue(headers, 'content-encoding') === '';
    if (isText) this.#held = { head: [status, message, headers], pieces: [], bytes: 0 };
    else this.#out.head(status, message, headers);
  }

  piece(piece: Buffer): boolean {
    const held = this.#held;
    if (held === undefined) return this.#out.piece(piece);
    held.pieces.push(piece);
    held.bytes += piece.length;
    if (held.bytes <= MAX_BYTES) return true;
    this.#held = undefined;
    this.#out.head(...held.head);
    return this.#out.piece(Buffer.concat(held.pieces));
  }

  end(): void {
    if (this.#held !== undefined) {
      const {
        head: [status, message, headers],
        pieces,
      } = this.#held;
      // An answer to HEAD and a 304 have the length of a body that they do not contain.
      if (pieces.length === 0) {
        this.#out.head(status, message, headers);
        this.#out.end();
        return;
      }
      // Latin-1 preserves all bytes except the replaced address, whatever their charset.
      const text = Buffer.concat(pieces).toString('latin1');
      const body = Buffer.from(replaced(text, this.#change), 'latin1');
      this.#out.head(status, message, withLength(headers, body.length));
      this.#out.piece(body);
    }
    this.#out.end();
  }
}

function replaced(text: string, { from, to }: AddressChange): string {
  const escaped = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // The following character must not make it another host or port.
  return text.replace(new RegExp(`${escaped}(?=[/?#"'<\\s]|$)`, 'gi'), () => to);
}

function findValue(headers: readonly string[], wanted: string): string {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at < 0 ? '' : (headers[at + 1] ?? '');
}

function withLength(headers: readonly string[], length: number): readonly string[] {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
  return at < 0 ? headers : headers.with(at + 1, String(length));
}

/** Hop-by-hop headers (RFC 9110, section 7.6.1), and those that the next connection writes itself. */
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

/** Headers that this server sets for the old one. */
const FORWARDED: ReadonlySet<string> = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/**
 * Headers by which proxies describe the caller, its host, its certificate or the requested address.
 * Applications trust them regardless of their writer, so those from strangers are removed.
 */
const WORDS_OF_PROXIES =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-original-.*|x-rewrite-url|x-arr-.*|(?:x-)?real-ip|(?:(?:x|true|cf|fastly)-)?(?:cluster-)?(?:client|connecting)-ip|front-end-https|cloudfront-forwarded-proto|x-url-scheme|x-host)$/;

/** W3C Trace Context. */
const OF_TRACES = ['traceparent', 'tracestate'] as const;

/** Headers that Connection must not remove by naming them: the message would change its meaning. */
const NEEDED: ReadonlySet<string> = new Set(['content-length', 'host']);

/**
 * Returns the end-to-end headers of a message, names and values alternating, as written and in their order.
 *
 * @param staysBehind returns true for additional headers to remove, by name in lower case
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
    if (lower === 'connection') named = new Set([...(named ?? []), ...parseTokens(raw[index + 1] ?? '')]);
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
 * Returns the headers of a request for the old server: the caller's, and headers that identify the caller.
 * The caller's own statements about that count only from a trusted proxy.
 *
 * @param without lower-case names of additional headers to remove
 * @param trace trace context to send in place of the caller's
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
    // IIS and CGI map both spellings to one variable, and no proxy writes underscores.
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
