import { lineText, readLines } from './lines';
import { loggedRequest, MOST_LOG_LINE_BYTES } from './logged-request';
import { type FileRequest, type PassOver, TOO_LONG } from './reader';

/** A field without a value. */
const NONE = '-';
const WANTED = ['cs-method', 'cs-uri-stem'] as const;

/**
 * Reads the GET requests of a W3C extended log, as IIS writes it. What a line holds is said by the last `#Fields`
 * before it; there may be several.
 */
export async function* readW3cLog(
  chunks: AsyncIterable<Buffer>,
  passOver: PassOver,
): AsyncGenerator<FileRequest> {
  let fields: readonly string[] = [];
  for await (const { number, bytes } of readLines(chunks, MOST_LOG_LINE_BYTES)) {
    // IIS reserves the file in blocks, whose rest is zeros where it did not end well.
    const text = bytes && lineText(bytes).replaceAll('\0', '').trim();
    if (text === undefined) passOver(number, 'malformed', TOO_LONG);
    else if (text.startsWith('#')) fields = fieldsOf(text) ?? fields;
    else if (text !== '') {
      const values = text.split(' ');
      if (!WANTED.every((name) => fields.includes(name)))
        passOver(number, 'malformed', `has no #Fields before it with ${WANTED.join(' and ')}`);
      else if (values.length !== fields.length)
        passOver(number, 'malformed', 'has not as many values as #Fields names');
      else {
        const request = requestOf((name) => valueOf(values[fields.indexOf(name)]));
        if (typeof request === 'string') passOver(number, 'untold', request);
        else yield { request, line: number };
      }
    }
  }
}

function fieldsOf(directive: string): readonly string[] | undefined {
  const [, names] = /^#Fields:(.*)$/i.exec(directive) ?? [];
  return names?.trim().toLowerCase().split(/\s+/);
}

function valueOf(value: string | undefined): string | undefined {
  return value === NONE ? undefined : value;
}

function requestOf(value: (name: string) => string | undefined): ReturnType<typeof loggedRequest> {
  const query = value('cs-uri-query');
  const stem = escapedStem(value('cs-uri-stem') ?? '/');
  return loggedRequest(
    value('cs-method') ?? '',
    query === undefined ? stem : `${stem}?${query}`,
    // A blank is written as a plus sign there.
    value('cs(user-agent)')?.replaceAll('+', ' '),
  );
}

/** IIS writes the path decoded and the query as it was sent. */
function escapedStem(stem: string): string {
  return stem.replace(
    /[^!-~]|[?#]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}
