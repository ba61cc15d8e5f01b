import { MarkupBuffer } from './markup-buffer';
import type { Answer } from './answer';
import type { ResultRecord } from './operation';

/** White space around the elements of a list: none over SOAP, indentation over GET and POST. */
export interface ListLayout {
  readonly itemIndent: string;
  readonly fieldIndent: string;
  readonly newline: string;
}

/** A place in a list: between items, or a field with or without a value. */
interface Place {
  /** Markup that leads to it, and markup that leads away from it. */
  readonly before: string;
  readonly after: string;
}

const BETWEEN_ITEMS = 0;
const FIRST_FIELD = 1;
/** A field takes two places: the first for a value, the second for the empty string. */
const PLACES_PER_FIELD = 2;

const NOTHING = Buffer.alloc(0);

const buffer = new MarkupBuffer();

/**
 * Prepares the writer of an answer that is a list. The markup between any two places is encoded once, in one
 * piece, so that a record costs one pass over its values. A null field is left out, a null record is nil (wire
 * contract, section 2.3).
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
  const { itemIndent, newline } = layout;
  const places = placesOf(fields, layout);
  /** What ends an item from each of its places. */
  const endings = places.map(({ after }, place) =>
    place === BETWEEN_ITEMS ? '' : `${after}${itemIndent}</${item}>${newline}`,
  );
  const fromEach = (markup: string): readonly Buffer[] =>
    endings.map((ending) => Buffer.from(ending + markup));
  const itemStart = `${itemIndent}<${item}>${newline}`;

  const head = Buffer.from(start);
  const toField = places.map(({ after }) => places.map(({ before }) => Buffer.from(after + before)));
  const toItem = endings.map((ending) =>
    places.map(({ before }) => Buffer.from(ending + itemStart + before)),
  );
  const toNil = fromEach(`${itemIndent}<${item} xsi:nil="true" />${newline}`);
  const toEmptyItem = fromEach(`${itemIndent}<${item} />${newline}`);
  const toEnd = fromEach(end);

  /** Writes a record after what ended at a place, and says at which place it ends. */
  const writeRecord = (record: ResultRecord, from: number): number => {
    let markup = toItem;
    let place = from;
    let next = FIRST_FIELD;
    for (const field of fields) {
      const value = record[field];
      if (value !== undefined && value !== null) {
        if (typeof value !== 'string') throw new TypeError(`The field ${field} holds no string.`);
        const here = value === '' ? next + 1 : next;
        buffer.markup(markup[place]?.[here] ?? NOTHING);
        buffer.text(value);
        markup = toField;
        place = here;
      }
      next += PLACES_PER_FIELD;
    }
    if (markup === toField) return place;
    buffer.markup(toEmptyItem[from] ?? NOTHING);
    return BETWEEN_ITEMS;
  };

  return (list) => {
    buffer.begin();
    buffer.markup(head);
    let place = BETWEEN_ITEMS;
    for (const record of list) {
      if (record === null) {
        buffer.markup(toNil[place] ?? NOTHING);
        place = BETWEEN_ITEMS;
      } else place = writeRecord(record, place);
    }
    buffer.markup(toEnd[place] ?? NOTHING);
    return buffer.take();
  };
}

function placesOf(fields: readonly string[], { fieldIndent, newline }: ListLayout): readonly Place[] {
  return [
    { before: '', after: '' },
    ...fields.flatMap((field) => [
      { before: `${fieldIndent}<${field}>`, after: `</${field}>${newline}` },
      { before: `${fieldIndent}<${field} />${newline}`, after: '' },
    ]),
  ];
}
