import type { Request, Response } from 'express';

import { readPublicAddress } from '../../../asmx';

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
