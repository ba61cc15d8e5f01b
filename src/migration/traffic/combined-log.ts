import { lineText, readLines } from './lines';
import { loggedRequest, MOST_LOG_LINE_BYTES } from './logged-request';
import { type FileRequest, type PassOver, TOO_LONG } from './reader';

/** Who and when, the request line, status and size; in the combined form also where from and with what. */
export const COMBINED_LINE =
  /^[^"[]*\[[^\]"]*\] "((?:[^"\\]|\\.)*)" \S+ \S+(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?/;
const REQUEST_LINE = /^(\S+) (.+) HTTP\/\d(?:\.\d)?$/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', v: '\v' };

/** Reads the GET requests of an access log of nginx or Apache in its common or combined form. */
export async function* readCombinedLog(
  chunks: AsyncIterable<Buffer>,
  passOver: PassOver,
): AsyncGenerator<FileRequest> {
  for await (const { number, bytes } of readLines(chunks, MOST_LOG_LINE_BYTES)) {
    const text = bytes && lineText(bytes);
    if (text === '') continue;
    const [, line, , userAgent] = COMBINED_LINE.exec(text ?? '') ?? [];
    if (line === undefined) {
      const reason = text === undefined ? TOO_LONG : 'is not a line of the common or combined form';
      passOver(number, 'malformed', reason);
      continue;
    }
    const [, method, target] = REQUEST_LINE.exec(unescaped(line)) ?? [];
    const request =
      method === undefined || target === undefined
        ? 'tells of no HTTP request'
        : loggedRequest(method, target, agentOf(userAgent));
    if (typeof request === 'string') passOver(number, 'untold', request);
    else yield { request, line: number };
  }
}

function agentOf(text: string | undefined): string | undefined {
  return text === undefined || text === '-' ? undefined : unescaped(text);
}

/** nginx writes `\xHH` for quotes, backslashes and what is not ASCII; Apache also `\"`, `\\`, `\n` and the like. */
function unescaped(text: string): string {
  return text.replace(/\\(?:x([\da-f]{2})|(.))/gi, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
