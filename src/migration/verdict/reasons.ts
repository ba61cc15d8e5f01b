import type { HttpAnswer, HttpRequest } from '../messages';
import type { Difference, Part } from './verdict';

/** A request, and what both sides answered. */
export interface JudgedExchange {
  readonly request: HttpRequest;
  readonly old: HttpAnswer;
  readonly ours: HttpAnswer;
}

/** One way in which the service differs on purpose from the servers that it replaces. */
export interface KnownDifference {
  /** As the table in README.md calls it: the words of its first column. */
  readonly what: string;
  readonly reason: string;
  /** How pairs of answers show it; none where no pair does. */
  readonly shown: readonly KnownSigns[];
}

/** By what a difference is known. */
export interface KnownSigns {
  /** Which exchanges have it. */
  readonly exchange: (exchange: JudgedExchange) => boolean;
  /** Which parts of those answers, and what there, differ so; all of them unless said. */
  readonly parts?: readonly Part[];
  readonly places?: RegExp;
}

/** Says of each difference that is one of a catalogue why it is there. */
export function withReasons(
  differences: readonly Difference[],
  exchange: JudgedExchange,
  catalogue: readonly KnownDifference[],
): readonly Difference[] {
  if (differences.length === 0) return differences;
  const known = catalogue.flatMap(({ shown, reason }) =>
    shown.filter((signs) => signs.exchange(exchange)).map((signs) => ({ ...signs, reason })),
  );
  return differences.map((difference) => {
    const found = known.find(
      ({ parts, places }) =>
        (parts?.includes(difference.part) ?? true) && (places?.test(difference.place) ?? true),
    );
    return found === undefined ? difference : { ...difference, known: found.reason };
  });
}
