import type { Request, Response } from 'express';

import {
  ownProtocol,
  plainAddress,
  readForwardedRequest,
  readPublicAddress,
  type TraceContext,
} from '../../asmx';
import { tokensOf } from '../messages';

/** What an old server that is asked through a door writes of itself, and where callers reach it. */
export interface AddressChange {
  readonly from: string;
  readonly to: string;
}

/** A longer document is passed back as it is. */
const MOST_BYTES = 1024 * 1024;
const DOCUMENT = /^(?:text\/(?:xml|html)|application\/(?:[\w.-]+\+)?xml)\s*(?:;|$)/i;

/**
 * Undefined where the two are the same, as they are unless something in front of the old server has another scheme,
 * host or path.
 *
 * @param publicAddress where callers reach the door, if it does not learn that from requests
 */
export function addressChange(
  request: Request,
  oldUrl: string,
  publicAddress: string | undefined,
): AddressChange | undefined {
  const { host } = request.headers;
  if (host === undefined) return undefined;
  const { protocol, authority, prefix } = readPublicAddress(request);
  // It has the scheme that it is spoken to with, and the host that the request names.
  const isTls = oldUrl.startsWith('https:');
  const from = `${isTls ? 'https' : 'http'}://${host.replace(isTls ? /:443$/ : /:80$/, '')}`;
  const to = publicAddress ?? `${protocol}://${authority}${prefix}`;
  return from === to ? undefined : { from, to };
}

/** Writes an answer to the caller as it comes. */
export interface AnswerWriter {
  head(status: number, message: string, headers: readonly string[]): void;
  /** @returns whether the caller takes more */
  piece(piece: Buffer): boolean;
  end(): void;
}

/** Writes it to the byte. */
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

/** Holds a document back until it is whole, and puts the other address in. */
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
      DOCUMENT.test(valueOf(headers, 'content-type')) && valueOf(headers, 'content-encoding') === '';
    if (isText) this.#held = { head: [status, message, headers], pieces: [], bytes: 0 };
    else this.#out.head(status, message, headers);
  }

  piece(piece: Buffer): boolean {
    const held = this.#held;
    if (held === undefined) return this.#out.piece(piece);
    held.pieces.push(piece);
    held.bytes += piece.length;
    if (held.bytes <= MOST_BYTES) return true;
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
      // An answer to HEAD and a 304 have the length of what they do not bring.
      if (pieces.length === 0) {
        this.#out.head(status, message, headers);
        this.#out.end();
        return;
      }
      // Of bytes nothing but the address changes, whatever their charset.
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
  // What follows may not make it another host or port.
  return text.replace(new RegExp(`${escaped}(?=[/?#"'<\\s]|$)`, 'gi'), () => to);
}

function valueOf(headers: readonly string[], wanted: string): string {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at < 0 ? '' : (headers[at + 1] ?? '');
}

function withLength(headers: readonly string[], length: number): readonly string[] {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
  return at < 0 ? headers : headers.with(at + 1, String(length));
}

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

/** Headers that this server writes itself for the old one. */
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
