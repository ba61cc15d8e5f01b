/** How much two answers have in common, the most first; what each means is the table in docs/internals/comparison.md. */
export const LEVELS = ['bytes', 'xml', 'order', 'different'] as const;
export type Level = (typeof LEVELS)[number];

/** `connection`: one side gave no answer. */
export type Part = 'status' | 'header' | 'body' | 'connection';

/**
 * How they differ: a value is another; something is not there, or is there in addition; siblings stand in another
 * order; a text differs in its white space alone; an element is in another namespace, or the root has another name;
 * one of the two is no XML that can be read; there is no answer; the same is written in another way; there is more than is listed.
 */
type What =
  | 'changed'
  | 'missing'
  | 'added'
  | 'order'
  | 'whitespace'
  | 'namespace'
  | 'name'
  | 'malformed'
  | 'failed'
  | 'writing'
  | 'more';

/** One way in which our answer differs from the old server's. */
export interface Difference {
  readonly part: Part;
  /**
   * `status`; `old` or `ours` for a connection; a header's name in lower case; in a body the path of local names without positions, such as
   * `/Envelope/Body/GetTokenDeviceResponse/GetTokenDeviceResult` or `/StudentInfo/@nil`, and `/` for all of it.
   */
  readonly place: string;
  readonly what: What;
  /** The best that two answers with this difference can be. */
  readonly level: Exclude<Level, 'bytes'>;
  /** The old server's value, masked: nothing of a person is in it. Left out where it has none. */
  readonly old?: string;
  /** Our value, masked likewise. */
  readonly ours?: string;
  /** Why the service differs so on purpose; such a difference fails nothing. Left out for all others. */
  readonly known?: string;
}

/** What is to be said of a pair of answers. */
export interface Verdict {
  /** The worst of its differences' levels, `bytes` where there are none. */
  readonly level: Level;
  /** At most one of each part, place and what. */
  readonly differences: readonly Difference[];
}

/** The worse of two levels. */
function worse(one: Level, other: Level): Level {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other) ? one : other;
}

/** The verdict that differences add up to. */
export function verdictOf(differences: readonly Difference[]): Verdict {
  return { level: differences.map(({ level }) => level).reduce<Level>(worse, 'bytes'), differences };
}

/** Whether a verdict is to be looked into: a client may see the difference, and nobody made it on purpose. */
export function fails({ differences }: Verdict): boolean {
  return differences.some(isFailing);
}

/** Whether a difference makes its verdict fail. */
export function isFailing({ level, known }: Difference): boolean {
  return known === undefined && level !== 'xml';
}

/**
 * The verdict where a side gave no answer.
 *
 * @param errors a word for each side that failed, such as `ECONNREFUSED`; nothing from a message
 */
export function failedConnection(errors: { readonly old?: string; readonly ours?: string }): Verdict {
  const sides = ['old', 'ours'] as const;
  return verdictOf(
    sides.flatMap((side): readonly Difference[] => {
      const error = errors[side];
      if (error === undefined) return [];
      return [{ part: 'connection', place: side, what: 'failed', level: 'different', [side]: error }];
    }),
  );
}

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

/** Kinds that one place shows by turns when what it holds changes with each answer. */
const KINDS: Readonly<Partial<Record<Difference['what'], string>>> = {
  missing: 'presence',
  added: 'presence',
  changed: 'value',
  whitespace: 'value',
};

/**
 * Takes out of a verdict what differs between the old server's own two answers as well, by part and place: times, ids,
 * lists in no order. A value that changes is no excuse for one that is missing.
 *
 * @param noise the verdict of the old server's two answers
 * @returns a verdict that is `bytes` only where nothing of the body was taken out
 */
export function withoutNoise(verdict: Verdict, noise: Verdict): Verdict {
  const noisy = new Set(noise.differences.map(kindOf));
  const left = verdict.differences.filter(
    (difference) => difference.what === 'more' || !noisy.has(kindOf(difference)),
  );
  const { level, differences } = verdictOf(left);
  const lostOfBody = bodies(verdict.differences) > bodies(left);
  return { level: lostOfBody ? worse(level, 'xml') : level, differences };
}

function kindOf({ part, place, what }: Difference): string {
  return `${part} ${KINDS[what] ?? what} ${place}`;
}

function bodies(differences: readonly Difference[]): number {
  return differences.filter(({ part }) => part === 'body').length;
}
