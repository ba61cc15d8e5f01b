import { canonicalKey } from '../queries/schools';

/**
 * Returns the form in which names of files, sheets and columns are compared: without regard to case,
 * composition of letters, or blanks around them. The four letters I, İ, ı and i count as one: which of them
 * is the other's capital depends on the language.
 */
export function foldName(name: string): string {
  return canonicalKey(name).normalize().replace(/[Iİı]/g, 'i').toLowerCase();
}
