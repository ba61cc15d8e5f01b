import { MarkupBuffer } from './markup-buffer';
import type { Answer } from './answer';
import type { ResultRecord } from './operation';

/** White space around the elements of a list: none over SOAP, indentation over GET and POST. */
export interface ListLayout {
  readonly itemIndent: string;
  readonly fieldIndent: string;
  readonly newline: string;
}

/** A place in a record: its start, its end, or a field with or without a value. */
interface Place {
  /** Markup that leads to it, and markup that leads away from it. */
  readonly before: string;
  readonly after: string;
}

const START = 0;
const END = 1;
const FIRST_FIELD = 2;
/** A field takes two places: the first for a value, the second for the empty string. */
const PLACES_PER_FIELD = 2;

const NOTHING = Buffer.alloc(0);

const buffer = new MarkupBuffer();

/**
 * Prepares the writer of an answer that is a list. The markup between any two places of a record is encoded
 * once, in one piece, so that a record costs one pass over its values. A null field is left out, a null record
 * is nil (wire contract, section 2.3).
 *
 * @param start what stands before the items
 * @param end what stands after them
 * @returns the writer, which throws a TypeError where a record is none
 */
export function listWriter(
  item: string,
  fields: readonly string[],
  layout: ListLayout,
  start: string,
  end: string,
): (list: readonly (ResultRecord | null)[]) => Pick<Answer, 'body' | 'release'> {
  const head = Buffer.from(start);
  const tail = Buffer.from(end);
  const nil = Buffer.from(`${layout.itemIndent}<${item} xsi:nil="true" />${layout.newline}`);
  const withoutFields = Buffer.from(`${layout.itemIndent}<${item} />${layout.newline}`);
  const places = placesOf(item, fields, layout);
  const between = places.map(({ after }) => places.map(({ before }) => Buffer.from(after + before)));

  const writeRecord = (record: ResultRecord): void => {
    let place = START;
    let next = FIRST_FIELD;
    for (const field of fields) {
      const value = record[field];
      if (value !== undefined && value !== null) {
        if (typeof value !== 'string') throw new TypeError(`The field ${field} holds no string.`);
        const here = value === '' ? next + 1 : next;
        buffer.markup(between[place]?.[here] ?? NOTHING);
        buffer.text(value);
        place = here;
      }
      next += PLACES_PER_FIELD;
    }
    buffer.markup(place === START ? withoutFields : (between[place]?.[END] ?? NOTHING));
  };

  return (list) => {
    buffer.begin();
    buffer.markup(head);
    for (const record of list) {
      if (record === null) buffer.markup(nil);
      else writeRecord(record);
    }
    buffer.markup(tail);
    return buffer.take();
  };
}

function placesOf(
  item: string,
  fields: readonly string[],
  { itemIndent, fieldIndent, newline }: ListLayout,
): readonly Place[] {
  return [
    { before: '', after: `${itemIndent}<${item}>${newline}` },
    { before: `${itemIndent}</${item}>${newline}`, after: '' },
    ...fields.flatMap((field) => [
      { before: `${fieldIndent}<${field}>`, after: `</${field}>${newline}` },
      { before: `${fieldIndent}<${field} />${newline}`, after: '' },
    ]),
  ];
}
