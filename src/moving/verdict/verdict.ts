/** How much two answers have in common, the most first; what each means is the table in docs/moving.md. */
export const LEVELS = ['bytes', 'xml', 'order', 'different'] as const;
export type Level = (typeof LEVELS)[number];

export type Part = 'status' | 'header' | 'body';

/**
 * How they differ: a value is another; something is not there, or is there in addition; siblings stand in another
 * order; a text differs in its white space alone; an element is in another namespace, or the root has another name;
 * one of the two is no XML that can be read; the same is written in another way; there is more than is listed.
 */
export type What =
  | 'changed'
  | 'missing'
  | 'added'
  | 'order'
  | 'whitespace'
  | 'namespace'
  | 'name'
  | 'malformed'
  | 'writing'
  | 'more';

/** One way in which our answer differs from the old server's. */
export interface Difference {
  readonly part: Part;
  /**
   * `status`; a header's name in lower case; in a body the path of local names without positions, such as
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
}

/** What is to be said of a pair of answers. */
export interface Verdict {
  /** The worst of its differences' levels, `bytes` where there are none. */
  readonly level: Level;
  /** At most one of each part, place and what. */
  readonly differences: readonly Difference[];
}

/** The worse of two levels. */
export function worse(one: Level, other: Level): Level {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other) ? one : other;
}

/** The verdict that differences add up to. */
export function verdictOf(differences: readonly Difference[]): Verdict {
  return { level: differences.map(({ level }) => level).reduce<Level>(worse, 'bytes'), differences };
}

/** Whether a client that reads answers as HTTP and XML say sees the same in both: bytes or writing apart. */
export function isSame(verdict: Verdict): boolean {
  return verdict.level === 'bytes' || verdict.level === 'xml';
}
