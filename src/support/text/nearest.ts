import { distance } from 'fastest-levenshtein';

/** Of some names, of which there is one at least, that which is most like another, whatever its case. */
export function nearestName(name: string, names: readonly string[]): string {
  const changes = (known: string): number => distance(known.toLowerCase(), name.toLowerCase());
  const [nearest = ''] = names.toSorted((a, b) => changes(a) - changes(b));
  return nearest;
}
