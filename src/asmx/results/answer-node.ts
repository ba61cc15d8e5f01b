import type { AttributeContract, ElementContract, EnumerationType, PlainType, Value } from '../contract';
import { dotNetName, invalidName, PLAIN_TYPES, type Put, putOneOf } from '../types';
import { Container, type Entry, Place } from './answer-place';
import { encodeMarkup, type Markup } from './markup-buffer';

/** White space around the elements of an answer: none over SOAP, indentation over GET and POST. */
export interface AnswerLayout {
  readonly indent: string;
  readonly newline: string;
}

/** A value that .NET could not write either, and says so to the caller. */
export class UnwritableValue extends Error {
  override readonly name = 'UnwritableValue';

  constructor(cause: string) {
    super('There was an error generating the XML document.', { cause: new Error(cause) });
  }
}

/** How the values of an element are written; made once at start, so that an answer only follows it. */
export type AnswerNode = StringNode | TextNode | RecordNode | ListNode;

interface Common {
  readonly name: string;
  /** The element that holds it. */
  readonly parent: Container;
  /** What it is where its value is null; undefined where it is left out then. */
  readonly nil: Entry | undefined;
  /** Whether its value cannot be null. */
  readonly isRequired: boolean;
  /** What its value has to be, for messages. */
  readonly expected: string;
}

/** A value that is a text. */
interface TextPlaces extends Common {
  readonly start: Entry;
  readonly empty: Entry;
  readonly behind: Place;
  readonly text: TextWriter;
}

/** A string, which is its own text. */
export interface StringNode extends TextPlaces {
  readonly kind: 'string';
}

export interface TextNode extends TextPlaces {
  readonly kind: 'text';
}

/** How the text of a value is written. */
export interface TextWriter {
  /** The quick way, never to an empty text; undefined where there is none. */
  readonly put: Put | undefined;
  /** The way for every value: undefined for one of another type. @throws UnwritableValue for a name that there is not */
  readonly write: (value: Value) => string | undefined;
}

export interface RecordNode extends Common {
  readonly kind: 'record';
  readonly container: Container;
  /** Attributes, then elements. */
  readonly fields: readonly (AttributeNode | AnswerNode)[];
  /** How many of the fields are attributes. */
  readonly attributes: number;
}

export interface AttributeNode {
  readonly kind: 'attribute';
  readonly name: string;
  /** With the start tag before it. */
  readonly first: Entry;
  /** Behind another attribute. */
  readonly next: Markup;
  readonly behind: Place;
  readonly isRequired: boolean;
  readonly expected: string;
  readonly text: TextWriter;
}

export interface ListNode extends Common {
  readonly kind: 'list';
  readonly container: Container;
  readonly item: AnswerNode;
}

/** What an element's start tag holds before and behind its attributes, and what follows its end. */
interface Dressing {
  readonly head: string;
  readonly tail: string;
  readonly newline: string;
}

/** Prepares nodes for the elements of one answer. */
export class NodeCompiler {
  readonly #layout: AnswerLayout;
  readonly #dotNetNamespace: string | undefined;
  #entries = 0;

  /** @param dotNetNamespace of the types that are the service's own, for messages */
  constructor(layout: AnswerLayout, dotNetNamespace: string | undefined) {
    this.#layout = layout;
    this.#dotNetNamespace = dotNetNamespace;
  }

  /** @param dressing of the root element; others have none */
  compile(element: ElementContract, parent: Container, depth: number, dressing?: Dressing): AnswerNode {
    const { name, type, nillable, optional } = element;
    const { head, tail, newline } = dressing ?? { head: '', tail: '', newline: this.#layout.newline };
    const indent = this.#layout.indent.repeat(depth);
    const common = {
      name,
      parent,
      nil: nillable ? this.entry(`${indent}<${name} xsi:nil="true" />${newline}`) : undefined,
      isRequired: !nillable && !optional,
    };
    const startTag = `${indent}<${name}${head}`;
    const empty = `${startTag}${tail} />${newline}`;
    const endTag = `${indent}</${name}>${newline}`;
    if (type.kind === 'plain' || type.kind === 'enumeration') {
      return {
        ...common,
        kind: type.name === 'string' ? 'string' : 'text',
        expected: type.name,
        start: this.entry(`${startTag}${tail}>`),
        empty: this.entry(empty),
        behind: new Place(`</${name}>${newline}`, parent),
        text: this.#textWriter(type),
      };
    }
    const contentStart = `${startTag}${tail}>${this.#layout.newline}`;
    const container = new Container(contentStart, endTag, this.entry(empty), parent);
    if (type.kind === 'list') {
      const item = this.compile(type.item, container, depth + 1);
      return { ...common, kind: 'list', expected: 'list', container, item };
    }
    const attributes = type.attributes.map((attribute) =>
      this.#attribute(attribute, startTag, { head: '', tail, newline }, container),
    );
    const elements = type.elements.map((child) => this.compile(child, container, depth + 1));
    return {
      ...common,
      kind: 'record',
      expected: 'record',
      container,
      fields: [...attributes, ...elements],
      attributes: attributes.length,
    };
  }

  /** One more of the answer's entries. */
  entry(text: string): Entry {
    this.#entries += 1;
    return { text, id: this.#entries };
  }

  #attribute(
    { name, type, optional }: AttributeContract,
    startTag: string,
    { tail, newline }: Dressing,
    container: Container,
  ): AttributeNode {
    return {
      kind: 'attribute',
      name,
      first: this.entry(`${startTag} ${name}="`),
      next: encodeMarkup(`" ${name}="`),
      behind: new Place(`"${tail}>${this.#layout.newline}`, container, undefined, `"${tail} />${newline}`),
      isRequired: !optional,
      expected: type.name,
      text: this.#textWriter(type),
    };
  }

  #textWriter(type: PlainType | EnumerationType): TextWriter {
    if (type.kind === 'plain') {
      const { put, write } = PLAIN_TYPES[type.name];
      return { put, write };
    }
    const values = new Set(type.values);
    const dotNet = dotNetName(type.name, this.#dotNetNamespace);
    const write = (value: Value): string | undefined => {
      if (typeof value !== 'string') return undefined;
      if (!values.has(value)) throw new UnwritableValue(invalidName(value, dotNet));
      return value;
    };
    // An empty name is an empty element, which is not put.
    return { put: values.has('') ? undefined : putOneOf(type.values), write };
  }
}
