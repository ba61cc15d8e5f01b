import type { TextReader } from '../types';

/**
 * Collects one value's text as .NET's ReadElementString does: text and CDATA, or, where the value has no text of its
 * own, the text of one child element (wire contract, section 5). Bytes are read in another way: comments may stand
 * between them, elements not.
 */
export class TextCapture {
  #reader: TextReader | undefined;
  #text = '';
  #stage: 'direct' | 'child' | 'done' = 'done';
  #hasText = false;
  /** Elements that are open inside the value. */
  #level = 0;

  /** The reader of the value that is open, or undefined. */
  get reader(): TextReader | undefined {
    return this.#reader;
  }

  get text(): string {
    return this.#text;
  }

  /** True where nothing but text may come. */
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

  add(text: string): void {
    if (this.#stage === 'done') return;
    this.#text += text;
    this.#hasText = true;
  }

  /** A child element opens inside the value; false where the value cannot hold it. */
  openChild(): boolean {
    this.#level += 1;
    if (this.#stage === 'done') return true;
    if (this.#level > 1 || this.#hasText || this.#reader?.isBinary === true) return false;
    this.#stage = 'child';
    return true;
  }

  /**
   * An element closes.
   *
   * @returns whether it is the value itself, its child, or a child that the value cannot hold: an empty-element tag,
   * which has no text to stand in
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
