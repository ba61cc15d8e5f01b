/** So many short texts are as long together as the long one. */
const PARTS = 16;
/** The quietest of several runs counts: another program's turn makes a run longer, never shorter. */
const RUNS = 12;

/**
 * How much more one long text costs than short ones that are as long together: about 1 where the cost grows with
 * the text, about 16 where it grows with the square. Both are measured in the same moment, so that it does not
 * matter how fast or how busy the machine is.
 *
 * @param make - makes a text of about so many characters
 * @param mostRatio - measuring ends with the first run that is not above it
 */
export function growthOf(
  read: (text: string) => void,
  make: (length: number) => string,
  shortLength: number,
  mostRatio: number,
): number {
  const short = make(shortLength);
  const long = make(shortLength * PARTS);
  let least = Infinity;
  for (let run = 0; run < RUNS && least > mostRatio; run += 1) {
    const longMs = timed(() => {
      read(long);
    });
    // Below a millisecond nothing is slow, whatever it grows with.
    if (longMs < 1) return 0;
    const shortMs = timed(() => {
      for (let part = 0; part < PARTS; part += 1) read(short);
    });
    least = Math.min(least, longMs / shortMs);
  }
  return least;
}

function timed(act: () => void): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}
