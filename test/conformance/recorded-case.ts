import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { RawRequest, RawResponse } from '../../scripts/harness';

type RecordedBody = { readonly text: string } | { readonly base64: string };

/** One exchange with the reference service on ASP.NET. Host, Content-Length and Connection are not recorded. */
export interface RecordedCase {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly http: '1.0' | '1.1';
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body: RecordedBody | null;
  };
  readonly expect: {
    readonly status: number;
    readonly contentType: string | null;
    readonly cacheControl: string | null;
    /** `html`: a page whose text is the recording host's own. `{host}` stands for host and port. */
    readonly body: RecordedBody | { readonly html: true };
  };
}

/** Describes what counts of an answer: of a page of the recording host, only the status and the media type. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | null;
  readonly cacheControl: string | null;
  readonly body: Buffer | null;
}

/** @param file `cases` of the five endpoints, `types` of the endpoint that has an operation for each type */
export function readCases(file: 'cases' | 'types' = 'cases'): readonly RecordedCase[] {
  const lines = readFileSync(join(__dirname, `${file}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  // The file is part of this folder and the replay itself fails on a field that is not as declared.
  return lines.map((line) => JSON.parse(line) as RecordedCase);
}

export function requestOf({ request }: RecordedCase): RawRequest {
  const { method, path, headers, body, http } = request;
  return { method, path, headers, httpVersion: http, ...(body && { body: bytesOf(body) }) };
}

/** The recorded answer, with the place of the host filled in. */
export function recordedAnswer({ expect: recorded }: RecordedCase, host: string): Answer {
  const { status, contentType, cacheControl, body } = recorded;
  if ('html' in body) return { status, contentType, cacheControl: null, body: null };
  const bytes = 'text' in body ? Buffer.from(body.text.replaceAll('{host}', host)) : bytesOf(body);
  return { status, contentType, cacheControl, body: bytes };
}

/** The part of a response that the recorded case speaks of. */
export function answerOf({ expect: recorded }: RecordedCase, response: RawResponse): Answer {
  const contentType = response.header('Content-Type') ?? null;
  if ('html' in recorded.body) {
    const mediaType = contentType?.split(';')[0] ?? null;
    return { status: response.status, contentType: mediaType, cacheControl: null, body: null };
  }
  const cacheControl = response.header('Cache-Control') ?? null;
  return { status: response.status, contentType, cacheControl, body: response.body };
}

function bytesOf(body: RecordedBody): Buffer {
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}
