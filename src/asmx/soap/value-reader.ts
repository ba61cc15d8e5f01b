import type { OperationContract } from '../contract/operation';
import type { OperationArguments, Value } from '../contract/values';
import { readXmlBoolean } from '../types/plain-types';
import type {
  ElementReader,
  ListReader,
  RecordParts,
  RecordReader,
  TextReader,
} from '../types/compiled-types';
import { ValueError } from '../types/value-error';
import type { XmlAttributes } from '../xml/xml-attributes';
import type { XmlBounds, XmlLimits } from '../xml/xml-syntax-error';
import { type ValueFault, ValueFaultException } from './soap-fault';

/** Progress of the search for the operation's element, Body's first child. */
export type BodyElement =
  | { readonly found: 'element' }
  /** Body contains no element, or text before it. */
  | { readonly found: 'none' }
  | { readonly found: 'missing-envelope' }
  | { readonly found: 'missing-body' }
  /** The text ended or was malformed before Body's first child. */
  | { readonly found: 'broken' };

export const FOUND_ELEMENT: BodyElement = { found: 'element' };
export const FOUND_NONE: BodyElement = { found: 'none' };

/** Result of one pass over a request body. */
export interface EnvelopeReading {
  /** Namespace of the root element; undefined when no root element could be read. */
  readonly rootNamespace: string | undefined;
  readonly bodyElement: BodyElement;
  /** Operation of the request: the given one, or the one that Body's first child names. */
  readonly operation: OperationContract | undefined;
  readonly parameters: OperationArguments;
  /** Local name of the first mandatory header block, or undefined. */
  readonly mustUnderstand: string | undefined;
  readonly error: EnvelopeError | undefined;
}

/** Finds the operation of Body's first child by local name; the reader checks the namespace. */
export type FindOperation = (name: string) => OperationContract | undefined;

/** Reason why an envelope could not be read to its end; only the first one in the text is reported. */
export type EnvelopeError =
  /** Malformed XML, or a value that no string reader would accept; `message` is the parser's. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Well-formed but unusable; the caller gets `message` unchanged. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** Error for a value that contains a node other than text. */
const UNEXPECTED_NODE: EnvelopeError = {
  kind: 'malformed',
  message:
    'Unexpected node type. ReadElementString method can only be called on elements with simple or empty content.',
};

/** Carries an {@link EnvelopeError} out of the parser's event handlers. */
export class EnvelopeException extends Error {
  override readonly name = 'EnvelopeException';

  constructor(readonly error: EnvelopeError) {
    super(error.message);
  }
}

/** @throws EnvelopeException always */
export function refuseUnreadable(message: string): never {
  throw new EnvelopeException({ kind: 'unreadable', message });
}

/** Returns the limits for the XML reader, which refuses anything beyond them as unreadable. */
export function toBounds(limits: XmlLimits): XmlBounds {
  const tooMuch = {
    attributes: `The request has an element with more than ${String(limits.xmlAttributes)} attributes.`,
    name: `The request has a name of more than ${String(limits.xmlNameCharacters)} characters.`,
  };
  return { ...limits, refuse: (what) => refuseUnreadable(tooMuch[what]) };
}

/**
 * Collects one value's text as .NET's ReadElementString does: text and CDATA, or, if the value has no text of
 * its own, the text of one child element (wire contract, section 5). Binary values differ: comments may
 * interrupt them, elements may not.
 */
class TextCapture {
  #reader: TextReader | undefined;
  #text = '';
  #stage: 'direct' | 'child' | 'done' = 'done';
  #hasText = false;
  /** Number of elements open inside the value. */
  #level = 0;

  get reader(): TextReader | undefined {
    return this.#reader;
  }

  get text(): string {
    return this.#text;
  }

  /** True if only text is allowed. */
  get isStrict(): boolean {
    return this.#reader !== undefined && this.#stage !== 'done' && !this.#reader.isBinary;
  }

  start(reader: TextReader): void {
    this.#reader = reader;
    this.#text = '';
    this.#stage = 'direct';
    this.#hasText = false;
    this.#level = 0;
  }

  stop(): void {
    this.#reader = undefined;
    this.#stage = 'done';
  }

  forget(): void {
    this.stop();
    this.#text = '';
  }

  add(text: string): void {
    if (this.#stage === 'done') return;
    this.#text += text;
    this.#hasText = true;
  }

  /** Opens a child element inside the value; returns false if the value cannot contain it. */
  openChild(): boolean {
    this.#level += 1;
    if (this.#stage === 'done') return true;
    if (this.#level > 1 || this.#hasText || this.#reader?.isBinary === true) return false;
    this.#stage = 'child';
    return true;
  }

  /**
   * Closes an element.
   *
   * @returns what was closed: the value itself, its child, or a child that the value cannot contain: an
   * empty-element tag, which has no text
   */
  close(isEmptyTag: boolean): 'value' | 'child' | 'unreadable' {
    if (this.#level === 0) return 'value';
    this.#level -= 1;
    if (this.#level > 0 || this.#stage !== 'child') return 'child';
    if (isEmptyTag) return 'unreadable';
    this.#stage = 'done';
    return 'child';
  }
}

const SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

/** An open element that contains others: the operation's, a record's, a list's. */
type Frame = RecordFrame | ListFrame;

interface RecordFrame {
  readonly parts: RecordParts;
  readonly fields: Record<string, Value>;
  /** Elements already seen, by index. */
  readonly seen: boolean[];
}

interface ListFrame {
  readonly item: ElementReader;
  readonly items: Value[];
}

/** Position of the XML reader. */
interface ReadingPlace {
  readonly nameOffset: number;
  /** Offset at which reading continues. */
  readonly offset: number;
  namespaceOf(prefix: string): string | undefined;
}

const NO_PARTS: RecordParts = { absent: {}, elements: new Map(), attributes: new Map() };

/**
 * Reads the values of an operation's parameters while its element is read, as .NET's XmlSerializer does (wire
 * contract, section 5): elements in any order, the first of each name, unknown ones ignored.
 */
export class ValueReader {
  readonly #namespace: string;
  readonly #place: ReadingPlace;
  readonly #capture = new TextCapture();
  readonly #frames: Frame[] = [];
  /** Number of open elements, counted from an unknown one. */
  #skipped = 0;
  #arguments: Record<string, Value> = {};
  #fault: ValueFault | undefined;

  /** @param namespace namespace of the elements */
  constructor(namespace: string, place: ReadingPlace) {
    this.#namespace = namespace;
    this.#place = place;
  }

  /** Values by parameter name. */
  get arguments(): Readonly<Record<string, Value>> {
    return this.#arguments;
  }

  /** First invalid value, or undefined; it takes effect once the next node has been read. */
  get fault(): ValueFault | undefined {
    return this.#fault;
  }

  /** Begins a request, or starts over when its operation becomes known only now. */
  reset(parameters: RecordParts = NO_PARTS): void {
    this.#arguments = { ...parameters.absent };
    this.#frames.length = 0;
    this.#frames.push({ parts: parameters, fields: this.#arguments, seen: [] });
    this.#skipped = 0;
    this.#capture.stop();
    this.#fault = undefined;
  }

  /** Forgets the values of the request, which are parts of its text. */
  forget(): void {
    this.#arguments = {};
    this.#frames.length = 0;
    this.#capture.forget();
    this.#fault = undefined;
  }

  /** Opens the operation's element; if it occurs again, its parameters start over. */
  openOperation(): void {
    const [operation] = this.#frames;
    if (operation !== undefined && 'seen' in operation) operation.seen.length = 0;
  }

  /** @throws EnvelopeException */
  openElement(local: string, namespace: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0) this.#skipped += 1;
    else if (this.#capture.reader !== undefined) {
      if (!this.#capture.openChild()) throw new EnvelopeException(UNEXPECTED_NODE);
    } else {
      const reader = namespace === this.#namespace ? this.#find(local) : undefined;
      if (reader === undefined) this.#skipped = 1;
      else this.#open(reader, attributes);
    }
  }

  /** @returns the reader of an element, or undefined for an unknown or repeated one */
  #find(local: string): ElementReader | undefined {
    const frame = this.#frames[this.#frames.length - 1];
    if (frame === undefined) return undefined;
    if ('item' in frame) return local === frame.item.name ? frame.item : undefined;
    const reader = frame.parts.elements.get(local);
    if (reader === undefined) return undefined;
    // A repeated list inside a record is read again; the last one counts.
    if (frame.seen[reader.index] === true && (reader.kind !== 'list' || this.#frames.length === 1))
      return undefined;
    frame.seen[reader.index] = true;
    return reader;
  }

  #open(reader: ElementReader, attributes: XmlAttributes): void {
    if (reader.nillable && !attributes.isEmpty && this.#isNil(attributes)) {
      if (reader.kind !== 'list' || this.#isItem(reader)) this.#set(reader, null);
      this.#skipped = 1;
    } else if (reader.kind === 'text') this.#capture.start(reader);
    else if (reader.kind === 'list') this.#openList(reader);
    else this.#openRecord(reader, attributes);
  }

  #openList(reader: ListReader): void {
    const items: Value[] = [];
    this.#set(reader, items);
    this.#frames.push({ item: reader.item, items });
  }

  #openRecord(reader: RecordReader, attributes: XmlAttributes): void {
    const { parts } = reader;
    const fields: Record<string, Value> = { ...parts.absent };
    if (!attributes.isEmpty) this.#readAttributes(reader, fields, attributes);
    this.#set(reader, fields);
    this.#frames.push({ parts, fields, seen: [] });
  }

  #readAttributes(reader: RecordReader, fields: Record<string, Value>, attributes: XmlAttributes): void {
    attributes.forEach((local, namespace, value) => {
      if (namespace === SCHEMA_INSTANCE && local === 'type') this.#requireType(reader, value);
    });
    attributes.forEach((local, namespace, value, offset) => {
      const read = namespace === '' ? reader.parts.attributes.get(local) : undefined;
      if (read !== undefined) fields[local] = this.#attribute(read, value, offset);
    });
  }

  #attribute(read: (text: string) => Value | undefined, text: string, offset: number): Value {
    try {
      const value = read(text);
      if (value !== undefined) return value;
    } catch (error) {
      this.#refuse(error, offset);
    }
    throw new EnvelopeException(UNEXPECTED_NODE);
  }

  /** Refuses any type but the contract's, because another would have other fields. */
  #requireType({ name, type }: RecordReader, qualified: string): void {
    const colon = qualified.lastIndexOf(':');
    const prefix = qualified.slice(0, Math.max(colon, 0));
    const local = qualified.slice(colon + 1);
    const namespace = this.#place.namespaceOf(prefix);
    if (namespace === this.#namespace && local === type) return;
    const message =
      namespace === undefined
        ? `Namespace prefix '${prefix}' is not defined.`
        : `The specified type was not recognized: name='${local}', namespace='${namespace}', at <${name} xmlns='${this.#namespace}'>.`;
    this.#refuse(new ValueError(message), this.#place.nameOffset);
  }

  #isNil(attributes: XmlAttributes): boolean {
    let isNil = false;
    attributes.forEach((local, namespace, value) => {
      if (local !== 'nil' || namespace !== SCHEMA_INSTANCE) return;
      try {
        isNil = readXmlBoolean(value);
      } catch (error) {
        this.#refuse(error, this.#place.nameOffset);
      }
    });
    return isNil;
  }

  #isItem(reader: ElementReader): boolean {
    const frame = this.#frames[this.#frames.length - 1];
    return frame !== undefined && 'item' in frame && frame.item === reader;
  }

  /** @throws EnvelopeException */
  closeElement(isEmptyTag: boolean): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (this.#capture.reader === undefined) this.#frames.pop();
    else {
      const closed = this.#capture.close(isEmptyTag);
      if (closed === 'unreadable') throw new EnvelopeException(UNEXPECTED_NODE);
      if (closed === 'value') this.#finish(this.#capture.reader);
    }
  }

  #finish(reader: TextReader): void {
    const { text } = this.#capture;
    this.#capture.stop();
    try {
      const value = reader.read(text);
      if (value === undefined) throw new EnvelopeException(UNEXPECTED_NODE);
      this.#set(reader, value);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.#fault = { error, offset: this.#place.offset };
    }
  }

  #set(reader: ElementReader, value: Value): void {
    const frame = this.#frames[this.#frames.length - 1];
    if (frame === undefined) return;
    if ('item' in frame) frame.items.push(value);
    else frame.fields[reader.name] = value;
  }

  /** @throws EnvelopeException */
  characters(text: string): boolean {
    if (this.#capture.reader === undefined) return false;
    this.#capture.add(text);
    return true;
  }

  /** Handles a comment or an instruction. @throws EnvelopeException where .NET's string reader gives up */
  interruption(): void {
    if (this.#capture.isStrict) throw new EnvelopeException(UNEXPECTED_NODE);
  }

  #refuse(error: unknown, offset: number): never {
    if (error instanceof ValueError) throw new ValueFaultException({ error, offset });
    throw error;
  }
}
