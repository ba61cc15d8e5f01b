import { DateTime } from '../contract/date-time';
import type {
  AttributeContract,
  ElementContract,
  EnumerationType,
  ListType,
  PlainType,
  RecordType,
  RecordValue,
  Value,
  ValueType,
} from '../contract/values';
import { dotNetName } from '../types/compiled-types';
import { invalidName, PLAIN_TYPES } from '../types/plain-types';
import { escapeAttribute } from '../xml/xml-characters';
import { encodeMarkup, type MarkupBuffer } from './markup-buffer';

/** White space around the elements of an answer: none over SOAP, indentation over GET and POST. */
export interface AnswerLayout {
  readonly indent: string;
  readonly newline: string;
}

/** Thrown for a value that .NET could not write either; the caller sees the message. */
export class UnwritableValue extends Error {
  override readonly name = 'UnwritableValue';

  constructor(cause: string) {
    super('There was an error generating the XML document.', { cause: new Error(cause) });
  }
}

/**
 * Adds an element with a value to an answer; nothing if null is omitted (wire contract, section 2.3).
 *
 * @throws TypeError for a value of another type, UnwritableValue
 */
export type WriteElement = (value: Value | undefined, answer: MarkupBuffer) => void;

/** Adds what stands for a null value. @throws TypeError if the element requires a value */
type WriteNothing = (answer: MarkupBuffer) => void;

/** Returns the text of a value, undefined for a value of another type. @throws UnwritableValue */
export type WriteText = (value: Value) => string | undefined;

/** Markup of the root element's start tag before and after its attributes, and after its end tag. */
interface Dressing {
  readonly head: string;
  readonly tail: string;
  readonly newline: string;
}

/** Markup of an element. */
interface Tags {
  /** Start tag up to the attributes. */
  readonly start: string;
  /** Rest of the start tag: of an element with text, with elements, and of an empty one. */
  readonly text: string;
  readonly content: string;
  readonly empty: string;
  /** End tag after a text, and after elements. */
  readonly end: string;
  readonly endOfContent: string;
}

/** Compiles the writers of an operation's values, once at start. */
export class ElementCompiler {
  readonly #layout: AnswerLayout;
  readonly #dotNetNamespace: string | undefined;

  /** @param dotNetNamespace namespace of the service's own types, for messages */
  constructor(layout: AnswerLayout, dotNetNamespace: string | undefined) {
    this.#layout = layout;
    this.#dotNetNamespace = dotNetNamespace;
  }

  /** @param dressing for the root element only */
  compile(element: ElementContract, depth: number, dressing?: Dressing): WriteElement {
    const { name, type, nillable, optional } = element;
    const { head, tail, newline } = dressing ?? { head: '', tail: '', newline: this.#layout.newline };
    const indent = this.#layout.indent.repeat(depth);
    const end = `</${name}>${newline}`;
    const nil = encodeMarkup(`${indent}<${name} xsi:nil="true" />${newline}`);
    const writeNothing = (answer: MarkupBuffer): void => {
      if (nillable) answer.markup(nil);
      else if (!optional) throw fieldMismatch(name, type);
    };
    return this.#value(
      name,
      type,
      depth,
      {
        start: `${indent}<${name}${head}`,
        text: `${tail}>`,
        content: `${tail}>${this.#layout.newline}`,
        empty: `${tail} />${newline}`,
        end,
        endOfContent: indent + end,
      },
      writeNothing,
    );
  }

  /** Returns the writer of the text of a plain value. */
  text(type: PlainType | EnumerationType): WriteText {
    if (type.kind === 'plain') return PLAIN_TYPES[type.name].write;
    const values = new Set(type.values);
    const dotNet = dotNetName(type.name, this.#dotNetNamespace);
    return (value) => {
      if (typeof value !== 'string') return undefined;
      if (!values.has(value)) throw new UnwritableValue(invalidName(value, dotNet));
      return value;
    };
  }

  #value(name: string, type: ValueType, depth: number, tags: Tags, writeNothing: WriteNothing): WriteElement {
    if (type.kind === 'list') return this.#list(name, type, depth, tags, writeNothing);
    if (type.kind === 'record') return this.#record(name, type, depth, tags, writeNothing);
    const toText = this.text(type);
    const open = encodeMarkup(tags.start + tags.text);
    const end = encodeMarkup(tags.end);
    const empty = encodeMarkup(tags.start + tags.empty);
    return (value, answer) => {
      if (value === null || value === undefined) {
        writeNothing(answer);
        return;
      }
      const text = toText(value);
      if (text === undefined) throw fieldMismatch(name, type);
      if (text === '') answer.markup(empty);
      else {
        answer.markup(open);
        answer.text(text);
        answer.markup(end);
      }
    };
  }

  #list(name: string, type: ListType, depth: number, tags: Tags, writeNothing: WriteNothing): WriteElement {
    const { item } = type;
    const write = this.compile(item, depth + 1);
    const open = encodeMarkup(tags.start + tags.content);
    const end = encodeMarkup(tags.endOfContent);
    const empty = encodeMarkup(tags.start + tags.empty);
    return (value, answer) => {
      if (value === null || value === undefined) {
        writeNothing(answer);
        return;
      }
      if (!Array.isArray(value)) throw fieldMismatch(name, type);
      const { length } = answer;
      answer.markup(open);
      const opened = answer.length;
      // Array.isArray loses the type of the items.
      for (const each of value as readonly (Value | undefined)[]) {
        if (each === undefined) throw fieldMismatch(item.name, item.type);
        write(each, answer);
      }
      if (answer.length > opened) answer.markup(end);
      else {
        answer.cutTo(length);
        answer.markup(empty);
      }
    };
  }

  #record(
    name: string,
    type: RecordType,
    depth: number,
    tags: Tags,
    writeNothing: WriteNothing,
  ): WriteElement {
    const attributes = type.attributes.map((attribute) => this.#attribute(attribute));
    const elements = type.elements.map((child) => ({
      name: child.name,
      write: this.compile(child, depth + 1),
    }));
    const start = encodeMarkup(tags.start);
    const content = encodeMarkup(tags.content);
    const end = encodeMarkup(tags.endOfContent);
    const empty = encodeMarkup(tags.empty);
    return (value, answer) => {
      if (value === null || value === undefined) {
        writeNothing(answer);
        return;
      }
      if (!isRecord(value)) throw fieldMismatch(name, type);
      answer.markup(start);
      for (const write of attributes) write(value, answer);
      const { length } = answer;
      answer.markup(content);
      const opened = answer.length;
      let index = 0;
      // Reading fields in the record's own order, nearly always the contract's, costs half of reading them by
      // name.
      for (const name in value) {
        const child = elements[index];
        if (child?.name !== name) break;
        child.write(value[name], answer);
        index += 1;
      }
      for (; index < elements.length; index += 1) {
        const child = elements[index];
        if (child !== undefined) child.write(value[child.name], answer);
      }
      if (answer.length > opened) answer.markup(end);
      else {
        answer.cutTo(length);
        answer.markup(empty);
      }
    };
  }

  /** Returns the writer of an attribute of a record. */
  #attribute({
    name,
    type,
    optional,
  }: AttributeContract): (record: RecordValue, answer: MarkupBuffer) => void {
    const toText = this.text(type);
    const open = encodeMarkup(` ${name}="`);
    const end = encodeMarkup('"');
    return (record, answer) => {
      const value = record[name] ?? null;
      if (value === null && optional) return;
      const text = value === null ? undefined : toText(value);
      if (text === undefined) throw fieldMismatch(name, type);
      answer.markup(open);
      answer.escaped(escapeAttribute(text));
      answer.markup(end);
    };
  }
}

function isRecord(value: Value): value is RecordValue {
  return (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !(value instanceof DateTime) &&
    !(value instanceof Uint8Array)
  );
}

function fieldMismatch(name: string, type: ValueType): TypeError {
  return new TypeError(`The field ${name} holds no ${expectedOf(type)}.`);
}

/** Returns the kind of value that a type has, for messages. */
export function expectedOf({ kind, name }: ValueType): string {
  return kind === 'plain' || kind === 'enumeration' ? name : kind;
}
