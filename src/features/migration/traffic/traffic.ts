import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { OperatorError, systemErrorCode } from '../../../support/errors';
import type { HttpRequest } from '../messages';
import { readIisLog } from './iis-log';
import { readOwnLines } from './own-lines';
import type { Passed, Reader } from './reader';

/** Number of bytes from which a file's kind is detected, unless its first line is longer. */
const BEGINNING_BYTES = 4096;

interface TrafficFormat {
  readonly reader: Reader;
  /** Returns true for the beginning of a file of this kind. */
  readonly begins: (text: string) => boolean;
}

/** In the order of detection. */
const KINDS = {
  lines: { reader: readOwnLines, begins: (text) => /^\s*\{\s*"/.test(text) },
  iis: { reader: readIisLog, begins: (text) => /^#(Software|Version|Date|Fields|Remark)\b/i.test(text) },
} as const satisfies Readonly<Record<string, TrafficFormat>>;

export type TrafficKind = keyof typeof KINDS;

export const TRAFFIC_KINDS = Object.keys(KINDS) as readonly TrafficKind[];

/** @returns the kind of a file by its beginning, undefined for an unknown one */
function detectKind(beginning: Buffer): TrafficKind | undefined {
  const text = beginning.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  return TRAFFIC_KINDS.find((kind) => KINDS[kind].begins(text));
}

/** A recorded request, with its position: `FILE:line`. */
export interface Recorded {
  readonly request: HttpRequest;
  readonly source: string;
}

/** A skipped part with its position (`FILE:line`) and the reason; contains nothing of its content. */
export interface PassedOver {
  readonly what: Passed;
  readonly source: string;
  readonly reason: string;
}

interface TrafficOptions {
  /** Undefined detects the kind from each file's beginning. */
  readonly kind?: TrafficKind | undefined;
  readonly passedOver: (passed: PassedOver) => void;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const METHOD = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const TARGET = /^\/[!-\u00ff]*$/;
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;

/**
 * Reads the requests of files, one after the other, in constant memory. Files may be compressed with gzip.
 *
 * @throws OperatorError if a file cannot be read, or is of an unknown kind
 */
export async function* readTraffic(
  file: string,
  { kind, passedOver }: TrafficOptions,
): AsyncGenerator<Recorded> {
  const bytes = createReadStream(file);
  let line = 1;
  try {
    const { beginning, all } = await peek(await unzipped(bytes));
    const found = kind ?? detectKind(beginning);
    if (found === undefined) {
      if (beginning.length === 0) return;
      throw new OperatorError(
        `Unknown format of ${file}. Set it with --traffic-kind: ${TRAFFIC_KINDS.join(', ')}.`,
      );
    }
    const passOver = (at: number, what: Passed, reason: string): void => {
      line = at;
      passedOver({ what, reason, source: `${file}:${String(at)}` });
    };
    for await (const { request, line: at } of KINDS[found].reader(all, passOver)) {
      line = at;
      const sendable = { ...request, target: readPath(request.target) };
      const reason = unsendable(sendable);
      if (reason !== undefined) passOver(at, 'malformed', reason);
      else yield { request: sendable, source: `${file}:${String(at)}` };
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR') {
      passedOver({
        what: 'malformed',
        reason: 'the rest cannot be decompressed',
        source: `${file}:${String(line)}`,
      });
      return;
    }
    if (error instanceof OperatorError || code === undefined) throw error;
    throw new OperatorError(`Cannot read ${file} (${code}).`, { cause: error });
  } finally {
    bytes.destroy();
  }
}

/** Returns the reason why a request cannot be sent again, whatever the file's kind. */
function unsendable({ method, target, headers }: HttpRequest): string | undefined {
  if (!METHOD.test(method)) return 'invalid method';
  if (!TARGET.test(target)) return 'the target is not a path';
  if (!headers.every(([name, value]) => METHOD.test(name) && HEADER_VALUE.test(value)))
    return 'invalid header';
  return undefined;
}

/** Removes the host from a target in absolute form, as sent to proxies. */
function readPath(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '');
}

async function unzipped(
  bytes: AsyncIterable<Buffer> & NodeJS.ReadableStream,
): Promise<AsyncIterable<Buffer>> {
  const { beginning, all } = await peek(bytes, GZIP.length);
  if (!beginning.subarray(0, GZIP.length).equals(GZIP)) return all;
  return pipeline(all, createGunzip(), () => undefined);
}

/** Returns the beginning of some bytes, and an iterable of all of them. */
async function peek(
  chunks: AsyncIterable<Buffer>,
  least = BEGINNING_BYTES,
): Promise<{ readonly beginning: Buffer; readonly all: AsyncIterable<Buffer> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let beginning = Buffer.alloc(0);
  let ended = false;
  while (beginning.length < least && !ended) {
    const next = await rest.next();
    if (next.done === true) ended = true;
    else beginning = Buffer.concat([beginning, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    if (beginning.length > 0) yield beginning.subarray(beginning.indexOf(BYTE_ORDER_MARK) === 0 ? 3 : 0);
    if (!ended) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { beginning, all: all() };
}
