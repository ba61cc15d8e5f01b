import { type Header, headersOf, tokensOf } from '../messages';

/** What a connection, or who forwards, has to say; and what the side that is asked is told anew. */
const OF_THE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'expect', 'host', 'content-length', 'forwarded', 'via', 'x-real-ip'],
];
/** Whose they are is nobody's business, and the new side does not know them: each side has its own. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];
/** Answers that are packed, in parts or left out for a cache cannot be compared. */
const SHORTER_ANSWERS = [
  ...['accept-encoding', 'range', 'if-range', 'if-match', 'if-none-match'],
  ...['if-modified-since', 'if-unmodified-since'],
];
const LEFT_OUT = new Set([...OF_THE_CONNECTION, ...CREDENTIALS, ...SHORTER_ANSWERS]);

/**
 * The headers with which a recorded request is sent again: without those of its connection, credentials, and what asks
 * for less than the whole answer.
 *
 * @param own - headers for the side that is asked, which stand for those of the same name
 */
export function sendableHeaders(headers: readonly Header[], own: readonly Header[]): readonly Header[] {
  const named = headersOf({ headers }, 'connection').flatMap(tokensOf);
  const replaced = own.map(([name]) => name.toLowerCase());
  const kept = headers.filter(([name]) => {
    const key = name.toLowerCase();
    return !LEFT_OUT.has(key) && !key.startsWith('x-forwarded-') && ![...named, ...replaced].includes(key);
  });
  return [...kept, ...own];
}
