import type { OperationContract } from '../contract';
import type { ReadingPoint } from '../xml';

/** What requests for an operation begin with, up to its element's start tag, and what is known by then. */
export interface Beginning {
  readonly text: string;
  readonly point: ReadingPoint;
  readonly rootNamespace: string;
  /** How many elements it holds. */
  readonly elements: number;
}

/** Strings cut from a text keep it in memory: none is remembered of a longer one, in characters. */
const LONGEST_TEXT = 4096;
/** Of so many requests that begin unlike those before, one is remembered. */
const STRANGERS_PER_LESSON = 16;

/**
 * Remembers for each operation how its requests begin. A client's proxy puts the same declaration, envelope and
 * namespaces before every call's values: reading that again is half of reading a small request.
 */
export class KnownBeginnings {
  readonly #known = new Map<OperationContract, Beginning>();
  #strangers = 0;

  /** @returns undefined where the text begins with nothing that is known */
  find(operation: OperationContract, text: string): Beginning | undefined {
    const known = this.#known.get(operation);
    if (known === undefined) return undefined;
    // A slice shares its text's memory; comparing it costs a third of startsWith.
    return text.slice(0, known.point.offset) === known.text ? known : undefined;
  }

  /** Whether the beginning of a text that was not found is to be remembered: clients take turns. */
  wants(text: string): boolean {
    if (text.length > LONGEST_TEXT) return false;
    this.#strangers += 1;
    return this.#strangers % STRANGERS_PER_LESSON === 1;
  }

  remember(operation: OperationContract, beginning: Beginning): void {
    this.#known.set(operation, beginning);
  }
}
