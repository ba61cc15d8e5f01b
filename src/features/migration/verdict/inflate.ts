import { findDecoder } from '../../../support/content-codings';
import { systemErrorCode } from '../../../support/errors';
import { findHeaders, type HttpAnswer, parseTokens } from '../messages';

/** Servers compress a body once or twice. */
const MAX_CODINGS = 2;

/**
 * Undoes the content codings of an answer, off the event loop; its headers are unchanged. An answer with
 * unknown or invalid codings is returned as received.
 *
 * @param maxBytes maximum size of the decompressed body
 * @returns undefined if the body would be larger
 */
export async function inflate(answer: HttpAnswer, maxBytes: number): Promise<HttpAnswer | undefined> {
  const codings = parseTokens(findHeaders(answer, 'content-encoding').join()).filter(
    (coding) => coding !== 'identity',
  );
  if (codings.length === 0 || codings.length > MAX_CODINGS) return answer;
  let { body } = answer;
  try {
    for (const coding of codings.toReversed()) {
      const decode = findDecoder(coding);
      if (decode === undefined) return answer;
      body = await decode(body, { maxOutputLength: maxBytes });
    }
  } catch (error) {
    return systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? undefined : answer;
  }
  return { ...answer, body };
}
