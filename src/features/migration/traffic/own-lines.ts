import * as z from 'zod';

import { tryTo } from '../../../support/errors';
import type { HttpRequest } from '../messages';
import { type FileRequest, type PassOver, readLines, TOO_LONG } from './reader';

const LINE = z.object({
  method: z.string(),
  target: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])).default([]),
  body: z.string().default(''),
});

/**
 * Writes a request as one line of JSON, with its line end: method, target, headers as pairs, and the body in
 * base64, because it is binary. Each character of the other texts is one byte (Latin-1), as Node reads a
 * head.
 */
export function writeLine({ method, target, headers, body }: HttpRequest): string {
  return `${JSON.stringify({ method, target, headers, body: body.toString('base64') })}\n`;
}

/** Reads requests that {@link writeLine} wrote; ignores other members and blank lines. */
export async function* readOwnLines(
  chunks: AsyncIterable<Buffer>,
  passOver: PassOver,
): AsyncGenerator<FileRequest> {
  for await (const { number, bytes } of readLines(chunks)) {
    const text = bytes?.toString('utf8').trim();
    if (text === '') continue;
    const request = text === undefined ? TOO_LONG : readRequest(text);
    if (typeof request === 'string') passOver(number, 'malformed', request);
    else yield { request, line: number };
  }
}

/** @returns the request, or the problem of the line */
function readRequest(text: string): HttpRequest | string {
  const { data } = LINE.safeParse(tryTo((): unknown => JSON.parse(text)));
  if (data === undefined) return 'not a JSON object with method, target, headers (pairs) and body';
  const body = Buffer.from(data.body, 'base64');
  if (body.toString('base64') !== data.body) return 'body is not base64';
  return { ...data, body };
}
