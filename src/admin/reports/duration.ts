import type { Phrase } from '../../support/phrase';
import type { Text } from '../texts/words';

/**
 * Units of durations, the largest first: their lengths in milliseconds, and the texts without and with the
 * next.
 */
const UNITS = [
  [86_400_000, '{n} d', '{n} d {m} h'],
  [3_600_000, '{n} h', '{n} h {m} min'],
  [60_000, '{n} min', '{n} min {m} s'],
  [1000, '{n} s', '{n} s'],
] as const satisfies readonly (readonly [size: number, alone: Text, withNext: Text])[];

/** Returns a duration in its two largest units: `3 h 5 min`. */
export function duration(milliseconds: number): Phrase<Text> {
  if (milliseconds < 1000) return { text: '{n} s', values: { n: (milliseconds / 1000).toFixed(1) } };
  const at = UNITS.findIndex(([size]) => milliseconds >= size);
  const [size, alone, withNext] = UNITS[at] ?? UNITS[3];
  const [next] = UNITS[at + 1] ?? [size];
  const n = Math.floor(milliseconds / size);
  const m = Math.floor((milliseconds % size) / next);
  return m === 0 ? { text: alone, values: { n } } : { text: withNext, values: { n, m } };
}
