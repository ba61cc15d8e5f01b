/** Of several measurements the quietest counts: another program's turn makes one longer, never shorter. */
const TRIES = 6;

/**
 * Measures until the figure is small enough, and a few times at most.
 *
 * @param enough - measuring ends with the first figure below it
 * @returns the least figure, in the measure's own unit
 */
export async function leastOf(enough: number, measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let tried = 0; tried < TRIES && least >= enough; tried += 1) {
    least = Math.min(least, await measure());
  }
  return least;
}
