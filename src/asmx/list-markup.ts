import type { ResultRecord } from './operation';
import { escapeText } from './xml-text';

/** White space around the elements of a list: none over SOAP, indentation over GET and POST. */
export interface ListLayout {
  readonly itemIndent: string;
  readonly fieldIndent: string;
  readonly newline: string;
}

/**
 * Prepares the writer of a list's items: the tags are put together once, so that a record costs one pass over
 * its values. A null field is left out, a null record is nil (wire contract, section 2.3).
 */
export function listWriter(
  item: string,
  fields: readonly string[],
  { itemIndent, fieldIndent, newline }: ListLayout,
): (list: readonly (ResultRecord | null)[]) => string {
  const start = `${itemIndent}<${item}>${newline}`;
  const end = `${itemIndent}</${item}>${newline}`;
  const empty = `${itemIndent}<${item} />${newline}`;
  const nil = `${itemIndent}<${item} xsi:nil="true" />${newline}`;
  const tags = fields.map((field) => ({
    field,
    open: `${fieldIndent}<${field}>`,
    close: `</${field}>${newline}`,
    empty: `${fieldIndent}<${field} />${newline}`,
  }));
  return (list) => {
    let text = '';
    for (const record of list) {
      if (record === null) {
        text += nil;
        continue;
      }
      let hasField = false;
      for (const tag of tags) {
        const value = record[tag.field];
        if (value === undefined || value === null) continue;
        if (!hasField) text += start;
        hasField = true;
        if (value === '') text += tag.empty;
        else text += tag.open + escapeText(value) + tag.close;
      }
      text += hasField ? end : empty;
    }
    return text;
  };
}
