/**
 * What changes a terminal, or the order or lines in which a text is shown: C0, DEL, C1, line and paragraph
 * separators, directional marks, embeddings, overrides and isolates.
 */
const UNSHOWABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Texts of right-to-left languages need marks and isolates; an override shows another text than there is. */
const UNSENDABLE = /(?!\n)[\p{Cc}\u2028-\u202e]/u;

/** Whether a text holds nothing that acts upon what shows it: then it can be part of another text. */
export function isPlain(text: string): boolean {
  return text.search(UNSHOWABLE) === -1;
}

/** Whether a text that an operator wrote can be the text of an SMS: it may have several lines. */
export function isSendable(text: string): boolean {
  return !UNSENDABLE.test(text);
}

/** A text as a terminal may show it, in one line: `\u{1b}` stands for an ESC, and so on. */
export function shown(text: string): string {
  return text.replace(UNSHOWABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A value as JSON in one line that a terminal may show; it reads as the same. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSHOWABLE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
