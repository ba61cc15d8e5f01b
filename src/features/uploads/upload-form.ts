import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';

import type { Text } from '../../admin/texts/words';
import type { Sentence } from '../../support/phrase';
import { PRIVATE_FILE } from '../../support/private-files';
import { shown } from '../../support/text';

const MAX_MAP_BYTES = 64 * 1024;
const MAX_PARTS = 32;

/** Request for an import that is refused, with its HTTP status and the reason for the page. */
export class ImportRefused extends Error {
  constructor(
    readonly status: number,
    readonly sentence: Sentence<Text>,
  ) {
    super('import refused');
  }
}

export interface UploadForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Names of the stored files. */
  readonly files: readonly string[];
}

export const MAP_FILE = 'map.json';
/** Matches names that are safe on every system, which excludes devices on Windows. */
const SAFE_NAME =
  /^(?!(?:con|prn|aux|nul|com\d|lpt\d)\b)[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._()-]{0,99}\.(?:csv|xlsx)$/iu;

/** Where the files of a form go, and what may be received. */
interface Upload {
  readonly place: string;
  readonly isToken: (token: string) => boolean;
  /** Called once, when the token has arrived; the files wait for it. */
  readonly begin: () => Promise<AbortSignal>;
  readonly maxBytes: number;
}

/**
 * Writes the files of a multipart form to a folder while they arrive.
 *
 * @throws ImportRefused, or an error of the file system
 */
export function receive(
  request: IncomingMessage,
  { place, isToken, begin, maxBytes }: Upload,
): Promise<UploadForm> {
  const parser = openParser(request);
  const fields = new Map<string, string>();
  const files = new Map<string, string>();
  const writes: Promise<void>[] = [];
  let bytes = 0;
  let begun: Promise<void> | undefined;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(String(error)));
      // The rest is not read; the server bounds how much of it may still come.
      request.unpipe(parser);
      request.resume();
      stopped.abort();
    };
    const stopped = new AbortController();
    const requireToken = (): Promise<void> | undefined => {
      if (begun === undefined)
        fail(new ImportRefused(403, 'This form is out of date. Reload the page and submit it again.'));
      return begun;
    };
    const bounded = (limit: number) =>
      async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        let size = 0;
        for await (const chunk of chunks) {
          size += chunk.length;
          bytes += chunk.length;
          if (size > limit || bytes > maxBytes) fail(tooLarge(maxBytes));
          else yield chunk;
        }
      };
    parser.on('field', (name, value) => {
      if (!fields.has(name)) fields.set(name, value);
      if (begun !== undefined || stopped.signal.aborted || !isToken(fields.get('token') ?? '')) return;
      begun = begin().then((signal) => {
        signal.addEventListener('abort', () => fail(gone()));
      });
      begun.catch(fail);
    });
    parser.on('file', (field, stream, name) => {
      stream.on('error', () => undefined); // The pipeline reports it.
      // Browsers send a field without a file as an empty file without a name.
      const ready = stopped.signal.aborted || name === '' ? undefined : requireToken();
      if (ready === undefined) {
        stream.resume();
        return;
      }
      const isMap = field === 'map';
      const stored = isMap ? MAP_FILE : name.normalize();
      if (files.has(stored.toLowerCase()) || !(isMap || SAFE_NAME.test(stored))) {
        fail(notAccepted(name));
        stream.resume();
        return;
      }
      files.set(stored.toLowerCase(), stored);
      const limit = isMap ? MAX_MAP_BYTES : maxBytes;
      const write = ready.then(() => {
        const file = createWriteStream(join(place, stored), { flags: 'wx', mode: PRIVATE_FILE });
        file.on('error', (error) => fail('syscall' in error ? error : brokenOff()));
        return pipeline(stream, bounded(limit), file, { signal: stopped.signal });
      });
      writes.push(
        write.catch((error: unknown) => {
          stream.resume();
          fail(error);
        }),
      );
    });
    parser.on('partsLimit', () => fail(tooLarge(maxBytes)));
    parser.on('error', () => fail(brokenOff()));
    parser.on('finish', () => {
      void requireToken()
        ?.then(() => Promise.all(writes))
        .then(() => resolve({ fields, files: [...files.values()] }), fail);
    });
    request.once('close', () => {
      if (!request.complete) fail(brokenOff());
    });
    request.pipe(parser);
  });
}

/** @throws ImportRefused for anything but a form */
function openParser({ headers }: IncomingMessage): BusboyInstance {
  const limits = { parts: MAX_PARTS, fieldSize: 1024, headerPairs: 16, headerSize: 8192 };
  try {
    // It throws for a type that it cannot read, and for none.
    const isPartAFile = (_field: unknown, _type: unknown, name: string | undefined) => name !== undefined;
    return new Busboy({ headers: headers as BusboyHeaders, limits, isPartAFile });
  } catch {
    throw new ImportRefused(415, 'Invalid request.');
  }
}

function notAccepted(name: string): ImportRefused {
  const text = '{name}: not accepted. Upload .csv or .xlsx files, each once, with plain names.';
  return new ImportRefused(400, { text, values: { name: shown(name.slice(0, 100)) } });
}

function tooLarge(maxBytes: number): ImportRefused {
  const text = 'The upload is too large: at most {n} MB and 30 files. For more, use the import command.';
  return new ImportRefused(413, { text, values: { n: Math.floor(maxBytes / 2 ** 20) } });
}

function brokenOff(): ImportRefused {
  return new ImportRefused(400, 'The upload was interrupted. Upload the files again.');
}

export function gone(): ImportRefused {
  return new ImportRefused(409, 'This upload is no longer there. Upload the files again.');
}
