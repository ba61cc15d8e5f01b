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
