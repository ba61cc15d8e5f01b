import { ownText } from '../../support/own-text';

export interface NamespaceDeclaration {
  /** Empty for the default namespace. */
  readonly prefix: string;
  readonly namespace: string;
}

export interface StartTag {
  /** The qualified name. */
  readonly name: string;
  /** Empty for none. */
  readonly prefix: string;
  readonly local: string;
  /** True for `<a/>`. */
  readonly isEmptyTag: boolean;
}

interface KnownTag {
  /** From `<` to `>`. */
  readonly text: string;
  readonly tag: StartTag;
  readonly declarations: readonly NamespaceDeclaration[];
}

/** Start tags of a document that are remembered; a call of one of our operations has four to eight. */
const MAX_POSITIONS = 16;
/** Spellings remembered of one position: the stacks and operations that take turns. */
const MAX_SPELLINGS = 6;
const MAX_CHARACTERS = 512;
/** Interval, in unknown spellings, at which one replaces an old one once a position is full. */
const REPLACE_EVERY = 16;

/**
 * Remembers the start tags of earlier documents by their position, since callers send the same ones again and
 * again. A tag is known only if every character of it is the same, and what it says depends on nothing around
 * it.
 *
 * Holds at most some 50 KB, whatever is read.
 */
export class TagMemory {
  readonly #positions: KnownTag[][] = [];
  #unknown = 0;

  /**
   * @param position - number of start tags before it in the document
   * @param offset - of its `<`
   */
  find(position: number, text: string, offset: number): KnownTag | undefined {
    const spellings = this.#positions[position];
    if (spellings === undefined) return undefined;
    for (const known of spellings) if (text.startsWith(known.text, offset)) return known;
    return undefined;
  }

  /** Tells whether tags at this position are remembered: the others need not be prepared for {@link keep}. */
  wants(position: number): boolean {
    return position < MAX_POSITIONS;
  }

  /**
   * @param text - the whole of a well-formed tag
   * @param declarations - those of the tag; undefined if it has other attributes, since such a tag is not
   * remembered
   */
  keep(
    position: number,
    text: string,
    tag: StartTag,
    declarations: readonly NamespaceDeclaration[] | undefined,
  ): void {
    if (declarations === undefined || !this.wants(position) || text.length > MAX_CHARACTERS) return;
    const spellings = (this.#positions[position] ??= []);
    let place = spellings.length;
    if (place >= MAX_SPELLINGS) {
      this.#unknown += 1;
      if (this.#unknown % REPLACE_EVERY !== 0) return;
      place = (this.#unknown / REPLACE_EVERY) % MAX_SPELLINGS;
    }
    spellings[place] = {
      text: ownText(text),
      tag: {
        name: ownText(tag.name),
        prefix: ownText(tag.prefix),
        local: ownText(tag.local),
        isEmptyTag: tag.isEmptyTag,
      },
      declarations: declarations.map(({ prefix, namespace }) => ({
        prefix: ownText(prefix),
        namespace: ownText(namespace),
      })),
    };
  }
}
