import { type Header, type HttpRequest, NO_BODY } from '../messages';
import { type FileRequest, type PassOver, readLines, TOO_LONG } from './reader';

/** Maximum length of a log line, in bytes. */
const MAX_LOG_LINE_BYTES = 1024 * 1024;

/** Methods whose requests have no body, since logs do not contain bodies. */
const METHODS_WITHOUT_BODY = ['GET', 'HEAD'];

/** Returns the request in a log line, or the reason why it cannot be repeated. */
function loggedRequest(method: string, target: string, userAgent: string | undefined): HttpRequest | string {
  if (!METHODS_WITHOUT_BODY.includes(method)) return 'logs do not contain request bodies';
  const headers: Header[] = userAgent === undefined ? [] : [['User-Agent', userAgent]];
  return { method, target, headers, body: NO_BODY };
}

/** Marks a field without a value. */
const NONE = '-';
const WANTED = ['cs-method', 'cs-uri-stem'] as const;

/**
 * Reads the GET requests of a W3C extended log, as IIS writes it. The last `#Fields` line before a line
 * defines its columns; there may be several.
 */
export async function* readIisLog(
  chunks: AsyncIterable<Buffer>,
  passOver: PassOver,
): AsyncGenerator<FileRequest> {
  let fields: readonly string[] = [];
  for await (const { number, bytes } of readLines(chunks, MAX_LOG_LINE_BYTES)) {
    // IIS allocates the file in blocks; after a crash the rest of one is zeros.
    const text = bytes?.toString('latin1').replaceAll('\0', '').trim();
    if (text === undefined) passOver(number, 'malformed', TOO_LONG);
    else if (text.startsWith('#')) fields = readFields(text) ?? fields;
    else if (text !== '') {
      const values = text.split(' ');
      if (!WANTED.every((name) => fields.includes(name)))
        passOver(number, 'malformed', `no #Fields line with ${WANTED.join(' and ')} before it`);
      else if (values.length !== fields.length)
        passOver(number, 'malformed', 'fewer or more values than in #Fields');
      else {
        const request = toRequest((name) => {
          const value = values[fields.indexOf(name)];
          return value === NONE ? undefined : value;
        });
        if (typeof request === 'string') passOver(number, 'incomplete', request);
        else yield { request, line: number };
      }
    }
  }
}

function readFields(directive: string): readonly string[] | undefined {
  const [, names] = /^#Fields:(.*)$/i.exec(directive) ?? [];
  return names?.trim().toLowerCase().split(/\s+/);
}

function toRequest(value: (name: string) => string | undefined): ReturnType<typeof loggedRequest> {
  const query = value('cs-uri-query');
  const stem = escapedStem(value('cs-uri-stem') ?? '/');
  return loggedRequest(
    value('cs-method') ?? '',
    query === undefined ? stem : `${stem}?${query}`,
    // In this field a blank is written as a plus sign.
    value('cs(user-agent)')?.replaceAll('+', ' '),
  );
}

/** Escapes a path again: IIS logs the path decoded and the query as sent. */
function escapedStem(stem: string): string {
  return stem.replace(
    /[^!-~]|[?#]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}
