import type { Difference } from './verdict';

/** Most that one verdict lists. */
const MOST = 100;

/** Gathers the differences of one pair: the first of each part, place and what, and so many in all. */
export class Differences {
  readonly #found = new Map<string, Difference>();

  /** @param difference made only where it is the first of its kind: masking takes time */
  add(
    part: Difference['part'],
    place: string,
    what: Difference['what'],
    rest: () => Omit<Difference, 'part' | 'place' | 'what'>,
  ): void {
    const key = `${part} ${what} ${place}`;
    if (this.#found.has(key)) return;
    if (this.#found.size < MOST) this.#found.set(key, { part, place, what, ...rest() });
    else this.#found.set('more', { part: 'body', place: '/', what: 'more', level: 'different' });
  }

  list(): readonly Difference[] {
    return [...this.#found.values()];
  }
}
