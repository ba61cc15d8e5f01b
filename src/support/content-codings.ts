import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

/** Undoes a content coding. Rejects invalid bytes, and output longer than the limit in bytes. */
export type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const gunzipped: Decode = promisify(gunzip);

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: gunzipped,
  'x-gzip': gunzipped,
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Returns the decoder of a content coding (RFC 9110, section 8.4.1); undefined for an unknown one. */
export function findDecoder(coding: string): Decode | undefined {
  return Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
}
