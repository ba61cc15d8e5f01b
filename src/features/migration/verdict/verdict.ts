/** Similarity of two answers, highest first; docs/internals/comparison.md defines the levels. */
export const LEVELS = ['bytes', 'xml', 'order', 'different'] as const;
export type Level = (typeof LEVELS)[number];

/** `connection`: one server gave no answer. */
export type Part = 'status' | 'header' | 'body' | 'connection';

/**
 * Kind of difference: another value; a missing or additional part; another order of siblings; different white
 * space only; another namespace of an element, or another name of the root; unreadable XML on one side; a
 * missing answer; a different spelling of the same value; an id that only the old server finds in this letter
 * case; more differences than listed.
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
  | 'letter case'
  | 'more';

/** A difference of our answer from the old server's. */
export interface Difference {
  readonly part: Part;
  /**
   * `status`; `old` or `ours` for a connection; a header's name in lower case; in a body the path of local
   * names without positions, such as `/Envelope/Body/GetTokenDeviceResponse/GetTokenDeviceResult` or
   * `/StudentInfo/@nil`, and `/` for the whole body.
   */
  readonly place: string;
  readonly what: What;
  /** Highest level possible with this difference. */
  readonly level: Exclude<Level, 'bytes'>;
  /** The old server's value, masked so that it contains no personal data. Omitted if there is none. */
  readonly old?: string;
  /** Our value, also masked. */
  readonly ours?: string;
  /** Reason why the difference is intended; an intended difference does not fail. Omitted otherwise. */
  readonly known?: string;
}

/** Result of comparing two answers. */
export interface Verdict {
  /** Lowest level of its differences, `bytes` without any. */
  readonly level: Level;
  /** At most one for each part, place and kind. */
  readonly differences: readonly Difference[];
}

/** Returns the lower of two levels. */
function worse(one: Level, other: Level): Level {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other) ? one : other;
}

export function makeVerdict(differences: readonly Difference[]): Verdict {
  return { level: differences.map(({ level }) => level).reduce<Level>(worse, 'bytes'), differences };
}

/** Returns true if a verdict needs attention: a client may see the difference, and it is not intended. */
export function fails({ differences }: Verdict): boolean {
  return differences.some(isFailing);
}

/** Returns true if a difference makes its verdict fail. */
export function isFailing({ level, known }: Difference): boolean {
  return known === undefined && level !== 'xml';
}

/**
 * Returns the verdict if a server gave no answer.
 *
 * @param errors a word for each failed server, such as `ECONNREFUSED`; never from a message
 */
export function failedConnection(errors: { readonly old?: string; readonly ours?: string }): Verdict {
  const sides = ['old', 'ours'] as const;
  return makeVerdict(
    sides.flatMap((side): readonly Difference[] => {
      const error = errors[side];
      if (error === undefined) return [];
      return [{ part: 'connection', place: side, what: 'failed', level: 'different', [side]: error }];
    }),
  );
}

/** Maximum number of differences in one verdict. */
const MAX_DIFFERENCES = 100;

/** Collects the differences of two answers: the first one of each part, place and kind, up to a maximum. */
export class Differences {
  readonly #found = new Map<string, Difference>();

  /** @param difference only called for the first of its kind, because masking takes time */
  add(
    part: Difference['part'],
    place: string,
    what: Difference['what'],
    rest: () => Omit<Difference, 'part' | 'place' | 'what'>,
  ): void {
    const key = `${part} ${what} ${place}`;
    if (this.#found.has(key)) return;
    if (this.#found.size < MAX_DIFFERENCES) this.#found.set(key, { part, place, what, ...rest() });
    else this.#found.set('more', { part: 'body', place: '/', what: 'more', level: 'different' });
  }

  list(): readonly Difference[] {
    return [...this.#found.values()];
  }
}

/** Kinds that alternate at a place whose content changes with each answer. */
const KINDS: Readonly<Partial<Record<Difference['what'], string>>> = {
  missing: 'presence',
  added: 'presence',
  changed: 'value',
  whitespace: 'value',
};

/**
 * Removes from a verdict differences that also exist between two answers of the old server, by part and
 * place: times, ids, unordered lists. A changing value does not excuse a missing one.
 *
 * @param noise verdict of the old server's two answers
 * @returns a verdict that is `bytes` only if nothing of the body was removed
 */
export function withoutNoise(verdict: Verdict, noise: Verdict): Verdict {
  const noisy = new Set(noise.differences.map(differenceKey));
  const left = verdict.differences.filter(
    (difference) => difference.what === 'more' || !noisy.has(differenceKey(difference)),
  );
  const { level, differences } = makeVerdict(left);
  const lostOfBody = bodies(verdict.differences) > bodies(left);
  return { level: lostOfBody ? worse(level, 'xml') : level, differences };
}

function differenceKey({ part, place, what }: Difference): string {
  return `${part} ${KINDS[what] ?? what} ${place}`;
}

function bodies(differences: readonly Difference[]): number {
  return differences.filter(({ part }) => part === 'body').length;
}
