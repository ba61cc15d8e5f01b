/** Records in each list of mixed records. */
export const PUPILS = 1_000;

/** Names of the lists, of one width. */
export const PUPIL_LISTS: readonly string[] = Array.from({ length: 10 }, (_, list) => `list-${String(list)}`);

/** Tells the records of all lists apart; of one width. */
export function pupilNumber(list: number, index: number): bigint {
  return 90_000_000_000n + BigInt(list * PUPILS + index);
}
