import { z } from 'zod';

import { type HttpRequest, NO_BODY } from '../messages';
import { harEntries } from './har-entries';
import { type FileRequest, type PassOver, TOO_LONG } from './reader';

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
        /** Of HAR 1.3, and of proxies that write 1.2: `base64`. */
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
      if (!next.value) passOver(last, 'malformed', 'is the last entry that is whole: the file is cut off');
      return;
    }
    const { line, json } = next.value;
    last = line;
    const read = json === undefined ? undefined : ENTRY.safeParse(parsed(json)).data;
    if (read === undefined) {
      passOver(line, 'malformed', json === undefined ? TOO_LONG : 'is no entry with a request');
      continue;
    }
    const [, host, target] = ADDRESS.exec(read.request.url) ?? [];
    const body = bodyOf(read.request);
    if (host === undefined || target === undefined) passOver(line, 'untold', 'has no address of HTTP');
    else if (body === undefined) passOver(line, 'untold', 'is without its body');
    else yield { line, host, request: requestOf(read.request, target, body) };
  }
}

function requestOf({ method, headers }: HarRequest, target: string, body: Buffer): HttpRequest {
  return {
    method,
    target: (target.startsWith('/') ? target : `/${target}`).replace(/[^\0-\u007f]+/g, encodeURIComponent),
    // HTTP/2 has what stands in the first line as headers with a colon.
    headers: headers.filter(({ name }) => !name.startsWith(':')).map(({ name, value }) => [name, value]),
    body,
  };
}

/** @returns undefined where the file does not have it */
function bodyOf({ postData, bodySize }: HarRequest): Buffer | undefined {
  if (postData?.text !== undefined)
    return Buffer.from(postData.text, postData.encoding === 'base64' ? 'base64' : 'utf8');
  const params = postData?.params ?? [];
  if (params.some(({ fileName }) => fileName !== undefined)) return undefined;
  if (params.length === 0) return bodySize > 0 ? undefined : NO_BODY;
  const form = new URLSearchParams();
  for (const { name, value } of params) form.append(name, value);
  return Buffer.from(form.toString());
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    return undefined;
  }
}
