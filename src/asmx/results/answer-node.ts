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

/** Markup that something begins with: an element, an attribute, the end of an answer. */
export interface Entry {
  readonly text: string;
  /** Its place in the table of a {@link Place}: the entries of an answer are counted. */
  readonly id: number;
}

/** An element that holds others: its tags, white space included. */
export class Container {
  /** The place in it where nothing is due. */
  readonly clear: Place;
  constructor(
    readonly startTag: string,
    readonly endTag: string,
    /** All of it where it holds nothing. */
    readonly empty: Entry,
    readonly parent: Container | undefined,
  ) {
    this.clear = new Place('', this);
  }
}

/**
 * A place between the values of an answer: what is due there before anything more. The markup from a place to an entry
 * is encoded once, in one piece, so that a value costs one copy of it.
 */
export class Place {
  readonly #due: string;
  readonly #dueAtEnd: string;
  /** Encoded, by the entry's number. */
  readonly #to: (Markup | undefined)[] = [];
  #behind: Place | undefined;
  readonly #in = new Map<Container, Place>();
  /** The latest of them: from a place nearly always the same begins. */
  #latest: Place | undefined;

  /**
   * @param due markup
   * @param container the element that is open here
   * @param before the place before its start tag, where even that is still due
   * @param dueAtEnd what is due where the element ends here
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

  /** The markup up to what an entry begins. */
  to(entry: Entry): Markup {
    return this.#to[entry.id] ?? this.#encode(entry);
  }

  // What is done once stands apart here and below: the compiler then puts the rest in line with the caller.
  #encode(entry: Entry): Markup {
    const markup = encodeMarkup(this.#due + entry.text);
    this.#to[entry.id] = markup;
    return markup;
  }

  /** The place where a container begins whose start tag is due, too. */
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

  /** The place behind the open element, which holds something. */
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
interface TextWriter {
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
