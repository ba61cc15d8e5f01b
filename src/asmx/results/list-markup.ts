import { encodeMarkup, type Markup, MarkupBuffer } from './markup-buffer';
import type { HttpResponse } from '../http';
import type { ResultRecord } from '../contract';

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

const NOTHING = encodeMarkup('');

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
): (list: readonly (ResultRecord | null)[]) => Pick<HttpResponse, 'body' | 'release'> {
  const { itemIndent, newline } = layout;
  const places = placesOf(fields, layout);
  /** What ends an item from each of its places. */
  const endings = places.map(({ after }, place) =>
    place === BETWEEN_ITEMS ? '' : `${after}${itemIndent}</${item}>${newline}`,
  );
  const fromEach = (markup: string): readonly Markup[] =>
    endings.map((ending) => encodeMarkup(ending + markup));
  const itemStart = `${itemIndent}<${item}>${newline}`;

  const head = encodeMarkup(start);
  // From each place within an item; and once more, from `newItem` on, with the start of the next item between.
  const toField = [...places.map(({ after }) => after), ...endings.map((ending) => ending + itemStart)].map(
    (leaving) => places.map(({ before }) => encodeMarkup(leaving + before)),
  );
  const newItem = places.length;
  const toNil = fromEach(`${itemIndent}<${item} xsi:nil="true" />${newline}`);
  const toEmptyItem = fromEach(`${itemIndent}<${item} />${newline}`);
  const toEnd = fromEach(end);

  /** What is left of a record from one of the fields on, in the contract's order. */
  const inOrder = (record: ResultRecord, first: number): ResultRecord =>
    Object.fromEntries(fields.slice(first).map((field) => [field, record[field] ?? null]));

  /** Writes a record from one of the fields on, behind what ended at a place, and says at which place it ends. */
  const writeFields = (record: ResultRecord, first: number, from: number): number => {
    let index = first;
    let place = from;
    // Fields read in the record's own order, nearly always the contract's, cost half of those read by name.
    for (const field in record) {
      if (field !== fields[index]) break;
      const value = record[field];
      if (value !== undefined && value !== null) {
        if (typeof value !== 'string') throw new TypeError(`The field ${field} holds no string.`);
        const here = FIRST_FIELD + index * PLACES_PER_FIELD + (value === '' ? 1 : 0);
        buffer.markup(toField[place]?.[here] ?? NOTHING);
        buffer.text(value);
        place = here;
      }
      index += 1;
    }
    return index === fields.length ? place : writeFields(inOrder(record, index), index, place);
  };

  /** Writes an item behind what ended at a place, and says at which place it ends. */
  const writeItem = (record: ResultRecord | null, from: number): number => {
    if (record !== null) {
      const place = writeFields(record, 0, newItem + from);
      if (place < newItem) return place;
    }
    buffer.markup((record === null ? toNil : toEmptyItem)[from] ?? NOTHING);
    return BETWEEN_ITEMS;
  };

  return (list) => {
    buffer.begin();
    buffer.markup(head);
    let place = BETWEEN_ITEMS;
    for (const record of list) place = writeItem(record, place);
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
