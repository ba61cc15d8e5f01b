/** Characters that end a line or change how a terminal shows it. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Quotes a text as one word for a POSIX shell. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a text as one word and one line; control characters in the notation that bash and others have. */
export function wordInOneLine(text: string): string {
  if (text.search(UNSEEN) === -1) return quotedWord(text);
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replace(UNSEEN, (character) => SHORT[character] ?? `\\u${codeOf(character)}`);
  return `$'${escaped}'`;
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
