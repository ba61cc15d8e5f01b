/** A body up to here takes no space of the others: those of good requests are shorter. There are as many as connections. */
const FREE_BYTES = 4 * 1024;
/** A body over this needs one of the few places. */
const LARGE_BYTES = 64 * 1024;
/** What all those between the two may hold together. */
const SHARED_BYTES = 32 * 1024 * 1024;

/** How much memory the bodies of the requests under way may take together. */
export class BodySpace {
  #bytes = SHARED_BYTES;
  #places: number;
  readonly #onFull: () => void;

  /**
   * @param places how many bodies over 64 KB there may be at once
   * @param onFull called for each body that finds no room
   */
  constructor(places: number, onFull: () => void) {
    this.#places = places;
    this.#onFull = onFull;
  }

  /** @returns whether there was so much; then it is taken */
  take(bytes: number, places: number): boolean {
    if (bytes > this.#bytes || places > this.#places) {
      this.#onFull();
      return false;
    }
    this.giveBack(-bytes, -places);
    return true;
  }

  giveBack(bytes: number, places: number): void {
    this.#bytes += bytes;
    this.#places += places;
  }
}

/** Whether a body of that many bytes needs a share of the space. */
export function needsShare(bytes: number): boolean {
  return bytes > FREE_BYTES;
}

/** What one body takes of the space. */
export class BodyShare {
  readonly #space: BodySpace;
  #bytes = 0;
  #places = 0;

  constructor(space: BodySpace) {
    this.#space = space;
  }

  /** @returns whether there is room for so many bytes of the body */
  reach(bytes: number): boolean {
    if (this.#places > 0) return true;
    if (bytes <= LARGE_BYTES) {
      const isThere = this.#space.take(bytes - this.#bytes, 0);
      if (isThere) this.#bytes = bytes;
      return isThere;
    }
    if (!this.#space.take(0, 1)) return false;
    this.release();
    this.#places = 1;
    return true;
  }

  /** Gives back what it has. */
  release(): void {
    this.#space.giveBack(this.#bytes, this.#places);
    this.#bytes = 0;
    this.#places = 0;
  }
}
