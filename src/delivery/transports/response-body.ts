import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

import type { Dispatcher } from 'undici';

import { type Decode, findDecoder } from '../../support/content-codings';

/** Maximum size of an answer; normal ones have a few hundred bytes. */
const LONGEST_RESPONSE_BYTES = 64 * 1024;

const UTF8 = new TextDecoder();

const inflatedRaw: Decode = promisify(inflateRaw);

/** Some servers omit the zlib header of `deflate`, whose first byte has 8 in its lower half. */
function decoderFor(coding: string, bytes: Buffer): Decode | undefined {
  return coding === 'deflate' && ((bytes[0] ?? 0) & 0x0f) !== 8 ? inflatedRaw : findDecoder(coding);
}

/** Reads a body as text; rejects one that is too long, compressed or not, or in an unknown encoding. */
export async function readBody({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  let bytes = await readBytes(body);
  for (const coding of readCodings(headers['content-encoding'])) {
    const decode = decoderFor(coding, bytes);
    if (decode === undefined) throw new Error('unknown coding');
    if (bytes.length > 0) bytes = await decode(bytes, { maxOutputLength: LONGEST_RESPONSE_BYTES });
  }
  return UTF8.decode(bytes);
}

/** Uses events, which cost less than iterating. */
function readBytes(body: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > LONGEST_RESPONSE_BYTES) body.destroy(new Error('too long'));
    });
    body.on('end', () => resolve(Buffer.concat(chunks)));
    body.on('error', reject);
  });
}

/** Returns the codings to undo, last applied first. */
function readCodings(header: string | string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .toReversed();
}
