import type {
  AttributeContract,
  ElementContract,
  EnumerationType,
  PlainType,
  Value,
} from '../contract/values';
import { type Put, putOneOf } from '../types/ascii-text';
import { dotNetName } from '../types/compiled-types';
import { invalidName, PLAIN_TYPES } from '../types/plain-types';
import { encodeMarkup, type Markup } from './markup-buffer';

/** A point in the markup that begins something: an element, an attribute, the end of an answer. */
export interface Entry {
  readonly text: string;
  /** Index into the table of a {@link Place}: the entries of an answer are numbered. */
  readonly id: number;
}

/** An element that contains others: its tags with their white space. */
export class Container {
  /** Place inside the element with no markup pending. */
  readonly clear: Place;
  constructor(
    readonly startTag: string,
    readonly endTag: string,
    /** Complete markup of the empty element. */
    readonly empty: Entry,
    readonly parent: Container | undefined,
  ) {
    this.clear = new Place('', this);
  }
}

/**
 * A place between the values of an answer, with the markup that must be written before anything else. The markup from a
 * place to an entry is encoded once, in one piece, so that writing it costs a single copy.
 */
export class Place {
  readonly #due: string;
  readonly #dueAtEnd: string;
  /** Encoded markup, by the entry's number. */
  readonly #to: (Markup | undefined)[] = [];
  #behind: Place | undefined;
  readonly #in = new Map<Container, Place>();
  /** Most recent target: nearly always the same entry follows a place. */
  #latest: Place | undefined;

  /**
   * @param due pending markup
   * @param container the element that is open here
   * @param before the place before its start tag, if that is pending too
   * @param dueAtEnd markup pending if the element ends here
   */
  constructor(
    due: string,
    readonly container: Container,
    readonly before?: Place,
    dueAtEnd = due + container.endTag,
  ) {
    this.#due = due;
    this.#dueAtEnd = dueAtEnd;
  }

  /** Returns the markup from here to the beginning of an entry. */
  to(entry: Entry): Markup {
    return this.#to[entry.id] ?? this.#encode(entry);
  }

  // One-time work is in a method of its own, here and below, so that the compiler inlines the rest.
  #encode(entry: Entry): Markup {
    const markup = encodeMarkup(this.#due + entry.text);
    this.#to[entry.id] = markup;
    return markup;
  }

  /** Returns the place inside a container whose start tag is pending, too. */
  in(container: Container): Place {
    const latest = this.#latest;
    return latest?.container === container ? latest : this.#begin(container);
  }

  #begin(container: Container): Place {
    const place = this.#in.get(container) ?? new Place(this.#due + container.startTag, container, this);
    this.#in.set(container, place);
    this.#latest = place;
    return place;
  }

  /** Place after the open element, which is not empty. */
  get behind(): Place {
    return this.#behind ?? this.#end();
  }

  #end(): Place {
    const { parent } = this.container;
    const behind = parent === undefined ? this : new Place(this.#dueAtEnd, parent);
    this.#behind = behind;
    return behind;
  }
}

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

/** Instructions for writing the values of an element, compiled once at start. */
export type AnswerNode = StringNode | TextNode | RecordNode | ListNode;

interface Common {
  readonly name: string;
  /** The element that contains it. */
  readonly parent: Container;
  /** Entry for a null value; undefined if null is omitted. */
  readonly nil: Entry | undefined;
  /** True if the value cannot be null. */
  readonly isRequired: boolean;
  /** Expected type of the value, for messages. */
  readonly expected: string;
}

/** A value written as text. */
interface TextPlaces extends Common {
  readonly start: Entry;
  readonly empty: Entry;
  readonly behind: Place;
  readonly text: TextWriter;
}

/** A string, which needs no conversion. */
export interface StringNode extends TextPlaces {
  readonly kind: 'string';
}

export interface TextNode extends TextPlaces {
  readonly kind: 'text';
}

/** Conversion of a value to text. */
interface TextWriter {
  /** Fast path, never used for an empty text; undefined if there is none. */
  readonly put: Put | undefined;
  /** General path: undefined for a value of another type. @throws UnwritableValue for an unknown enumeration name */
  readonly write: (value: Value) => string | undefined;
}

export interface RecordNode extends Common {
  readonly kind: 'record';
  readonly container: Container;
  /** Attributes, followed by elements. */
  readonly fields: readonly (AttributeNode | AnswerNode)[];
  /** Number of attributes among the fields. */
  readonly attributes: number;
}

export interface AttributeNode {
  readonly kind: 'attribute';
  readonly name: string;
  /** Entry that begins with the element's start tag. */
  readonly first: Entry;
  /** Markup after another attribute. */
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

/** Markup of an element's start tag before and after its attributes, and after its end tag. */
interface Dressing {
  readonly head: string;
  readonly tail: string;
  readonly newline: string;
}

export class NodeCompiler {
  readonly #layout: AnswerLayout;
  readonly #dotNetNamespace: string | undefined;
  #entries = 0;

  /** @param dotNetNamespace namespace of the service's own types, for messages */
  constructor(layout: AnswerLayout, dotNetNamespace: string | undefined) {
    this.#layout = layout;
    this.#dotNetNamespace = dotNetNamespace;
  }

  /** @param dressing for the root element only */
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
    // An empty name would be an empty element, which the fast path cannot write.
    return { put: values.has('') ? undefined : putOneOf(type.values), write };
  }
}
