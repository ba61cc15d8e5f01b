import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { HttpResponse } from '../http';

// The documents of this server are a dozen under each address; more are made-up hosts, which must not fill memory.
const COMPRESSED_DOCUMENTS = 64;

/**
 * Gives documents (pages, descriptions) the form in which a caller takes them: compressed where it accepts
 * gzip, and without their body where it has them already.
 */
export class DocumentNegotiation {
  /** Compressed bodies by entity tag, the one used last at the end. */
  readonly #compressed = new Map<string, Buffer>();

  /** @param answer a whole document; anything but status 200 stays as it is */
  negotiate(response: HttpResponse, headers: IncomingHttpHeaders): HttpResponse {
    if (response.status !== 200) return response;
    const tag = `W/"${createHash('sha1').update(response.body).digest('base64url')}"`;
    const common = [...response.headers, 'ETag', tag, 'Vary', 'Accept-Encoding'];
    const { body, coding } = acceptsGzip(headers['accept-encoding'])
      ? this.#compress(tag, response.body)
      : { body: response.body, coding: [] };
    // The body of a 304 is never sent; its length is that of the answer it stands for (RFC 9110, section 8.6).
    const status = matches(headers['if-none-match'], tag) ? 304 : 200;
    return { status, headers: [...common, ...coding], body };
  }

  #compress(
    tag: string,
    body: HttpResponse['body'],
  ): { readonly body: Buffer; readonly coding: readonly string[] } {
    const compressed = this.#compressed.get(tag) ?? gzipSync(body);
    this.#compressed.delete(tag);
    this.#compressed.set(tag, compressed);
    const [oldest] = this.#compressed.keys();
    if (this.#compressed.size > COMPRESSED_DOCUMENTS && oldest !== undefined) this.#compressed.delete(oldest);
    return { body: compressed, coding: ['Content-Encoding', 'gzip'] };
  }
}

/** Whether an Accept-Encoding header admits gzip (RFC 9110, section 12.5.3). */
function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  const codings = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((part): [string, number] => {
        const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
        return [name, weight === undefined ? 1 : Number(weight)];
      }),
  );
  return (codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? 0) > 0;
}

/** Whether an If-None-Match header holds a tag; the comparison is the weak one (RFC 9110, section 13.1.2). */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => {
    const text = part.trim();
    return text === '*' || text === tag || `W/${text}` === tag;
  });
}
