/**
 * Whether a text can be stored as it stands: PostgreSQL takes no U+0000, SQLite cuts there, and a lone
 * surrogate has no UTF-8. Importing refuses such texts, so a key that holds one names nothing.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with U+FFFD in place of what cannot be stored. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replaceAll(/[\p{Surrogate}\0]/gu, '\uFFFD');
}
