import type { Header, HttpAnswer } from '../../../../src/features/migration/messages';

const XML: readonly Header[] = [['Content-Type', 'text/xml; charset=utf-8']];

/** An answer with status 200. */
export function answer(body: string | Buffer, headers: readonly Header[] = XML, status = 200): HttpAnswer {
  return { status, headers, body: typeof body === 'string' ? Buffer.from(body) : body };
}
