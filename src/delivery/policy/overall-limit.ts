import type { CallerCodes } from '../../store';

/**
 * Whether the codes of a day, all telephones together, leave room for one more of a caller. Half of them is kept for
 * the known callers, the same share for each, until it has used it up; the other half goes to whoever comes first.
 *
 * @param most - codes on a day, at least 1
 * @param known - names of the callers that have a share
 * @param used - codes of the day so far, by caller
 * @param caller - who asks; empty where it is not known
 */
export function hasRoomFor(
  caller: string,
  most: number,
  known: readonly string[],
  used: readonly CallerCodes[],
): boolean {
  const left = most - used.reduce((sum, { codes }) => sum + codes, 0);
  const share = known.length === 0 ? 0 : Math.floor(most / 2 / known.length);
  const unused = (name: string): number =>
    Math.max(0, share - (used.find((each) => each.caller === name)?.codes ?? 0));
  const kept = known.filter((name) => name !== caller).reduce((sum, name) => sum + unused(name), 0);
  return left > kept;
}
