import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import etag from 'etag';
import fresh from 'fresh';
import Negotiator from 'negotiator';
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

  /** @param response a whole document; anything but status 200 stays as it is */
  negotiate(response: HttpResponse, headers: IncomingHttpHeaders): HttpResponse {
    if (response.status !== 200) return response;
    const tag = etag(response.body, { weak: true });
    const validators = ['ETag', tag, 'Vary', 'Accept-Encoding'];
    const acceptsGzip = new Negotiator({ headers }).encodings(['gzip']).length > 0;
    // The body of a 304 is never sent; its length is that of the response it stands for (RFC 9110, section 8.6).
    const status = fresh(headers, { etag: tag }) ? 304 : 200;
    if (!acceptsGzip) return { ...response, status, headers: [...response.headers, ...validators] };
    return {
      status,
      headers: [...response.headers, ...validators, 'Content-Encoding', 'gzip'],
      body: this.#compress(tag, response.body),
    };
  }

  #compress(tag: string, body: HttpResponse['body']): Buffer {
    const compressed = this.#compressed.get(tag) ?? gzipSync(body);
    this.#compressed.delete(tag);
    this.#compressed.set(tag, compressed);
    const [oldest] = this.#compressed.keys();
    if (this.#compressed.size > COMPRESSED_DOCUMENTS && oldest !== undefined) this.#compressed.delete(oldest);
    return compressed;
  }
}
