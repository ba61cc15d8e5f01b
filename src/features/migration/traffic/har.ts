import { z } from 'zod';

import { tryTo } from '../../../support/errors';
import { type HttpRequest, NO_BODY } from '../messages';
import { type FileRequest, type PassOver, TOO_LONG } from './reader';

/** Maximum size of one entry in memory, including its answer. */
const MAX_ENTRY_BYTES = 64 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_END = 0x0a;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];
const LIST = 0x5b;
/** Depth of an entry: the log's object, the list, the entry. */
const ENTRY_DEPTH = 4;

interface HarEntry {
  /** First line of the entry, from 1. */
  readonly line: number;
  /** Undefined for an entry that is too long. */
  readonly json: Buffer | undefined;
}

/**
 * Splits a HAR into the entries of its log, with one in memory at a time: only strings and brackets are scanned, and
 * the consumer parses the entries. A browser's export may be larger than memory. Returns true if the file is complete.
 */
export async function* harEntries(
  chunks: AsyncIterable<Buffer>,
  most = MAX_ENTRY_BYTES,
): AsyncGenerator<HarEntry, boolean> {
  const scan = new Scan();
  let parts: Buffer[] = [];
  let length = 0;
  let begun: number | undefined;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > most) parts = [];
    else parts.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const step = scan.take(chunk[at] ?? 0);
      if (step === 'begins') {
        [start, begun] = [at, scan.line];
      } else if (step === 'ends' && begun !== undefined) {
        keep(chunk.subarray(start, at + 1));
        yield { line: begun, json: length > most ? undefined : Buffer.concat(parts) };
        [parts, length, begun] = [[], 0, undefined];
      }
    }
    if (begun !== undefined) keep(chunk.subarray(start));
  }
  return scan.ended;
}

/** Scans the JSON text byte by byte. */
class Scan {
  line = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Last string of the log's own object: the name of the list that follows. */
  #name = '';
  #inEntries = false;
  #any = false;

  /** True if every bracket was closed. */
  get ended(): boolean {
    return this.#any && this.#depth === 0 && !this.#inString;
  }

  /** @returns `begins` or `ends` if an entry does so with this byte */
  take(byte: number): 'begins' | 'ends' | undefined {
    if (byte === LINE_END) this.line += 1;
    if (this.#inString) this.#inText(byte);
    else if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === ENTRY_DEPTH - 2) this.#name = '';
    } else if (OPENING.includes(byte)) return this.#open(byte);
    else if (CLOSING.includes(byte)) return this.#close();
    return undefined;
  }

  #inText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    else if (this.#depth === ENTRY_DEPTH - 2) this.#name += String.fromCharCode(byte);
  }

  #open(byte: number): 'begins' | undefined {
    this.#any = true;
    this.#depth += 1;
    if (this.#depth === ENTRY_DEPTH - 1) this.#inEntries = byte === LIST && this.#name === 'entries';
    return this.#depth === ENTRY_DEPTH && this.#inEntries ? 'begins' : undefined;
  }

  #close(): 'ends' | undefined {
    this.#depth -= 1;
    return this.#depth === ENTRY_DEPTH - 1 && this.#inEntries ? 'ends' : undefined;
  }
}

const PAIR = z.object({ name: z.string(), value: z.string().default('') });

const ENTRY = z.object({
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.array(PAIR).default([]),
    bodySize: z.number().default(0),
    postData: z
      .object({
        text: z.string().optional(),
        /** From HAR 1.3, and proxies that write it in 1.2: `base64`. */
        encoding: z.string().optional(),
        params: z.array(PAIR.extend({ fileName: z.string().optional() })).default([]),
      })
      .optional(),
  }),
});

type HarRequest = z.infer<typeof ENTRY>['request'];

/** Host and port, then path and query. The fragment is not sent. */
const ADDRESS = /^https?:\/\/([^/?#]+)([^#]*)/i;

/** Reads the requests of a HAR 1.2, as browsers and proxies export it. */
export async function* readHar(
  chunks: AsyncIterable<Buffer>,
  passOver: PassOver,
): AsyncGenerator<FileRequest> {
  const entries = harEntries(chunks);
  let last = 1;
  for (;;) {
    const next = await entries.next();
    if (next.done === true) {
      if (!next.value) passOver(last, 'malformed', 'the file is truncated after this entry');
      return;
    }
    const { line, json } = next.value;
    last = line;
    const read =
      json === undefined
        ? undefined
        : ENTRY.safeParse(tryTo((): unknown => JSON.parse(json.toString('utf8')))).data;
    if (read === undefined) {
      passOver(line, 'malformed', json === undefined ? TOO_LONG : 'no request in the entry');
      continue;
    }
    const [, host, target] = ADDRESS.exec(read.request.url) ?? [];
    const body = readBody(read.request);
    if (host === undefined || target === undefined) passOver(line, 'incomplete', 'not an HTTP URL');
    else if (body === undefined) passOver(line, 'incomplete', 'missing body');
    else yield { line, host, request: toRequest(read.request, target, body) };
  }
}

function toRequest({ method, headers }: HarRequest, target: string, body: Buffer): HttpRequest {
  return {
    method,
    target: (target.startsWith('/') ? target : `/${target}`).replace(/[^\0-\u007f]+/g, encodeURIComponent),
    // HTTP/2 represents the request line by headers that begin with a colon.
    headers: headers.filter(({ name }) => !name.startsWith(':')).map(({ name, value }) => [name, value]),
    body,
  };
}

/** @returns undefined if the file does not contain it */
function readBody({ postData, bodySize }: HarRequest): Buffer | undefined {
  if (postData?.text !== undefined)
    return Buffer.from(postData.text, postData.encoding === 'base64' ? 'base64' : 'utf8');
  const params = postData?.params ?? [];
  if (params.some(({ fileName }) => fileName !== undefined)) return undefined;
  if (params.length === 0) return bodySize > 0 ? undefined : NO_BODY;
  const form = new URLSearchParams();
  for (const { name, value } of params) form.append(name, value);
  return Buffer.from(form.toString());
}
