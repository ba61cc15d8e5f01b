import { type Difference, type Verdict, verdictOf, worse } from './verdict';

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
