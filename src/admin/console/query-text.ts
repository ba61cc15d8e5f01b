/** The query of an address or the fields of a form, as they were parsed. */
export type Fields = Readonly<Record<string, unknown>>;

/** A text of an address or a form; undefined for none, and for what is blank. No database takes a NUL. */
export function fieldText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll('\0', '').trim();
  return text === '' ? undefined : text;
}
