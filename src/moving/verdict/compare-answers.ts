import type { HttpAnswer } from '../messages';
import { compareBodies } from './bodies';
import { Differences } from './differences';
import { compareHeaders, type HeaderChoice } from './headers';
import { type Verdict, verdictOf } from './verdict';

export type CompareOptions = HeaderChoice;

/**
 * Judges our answer to a request by the old server's. Never throws, whatever the answers hold; values in the verdict
 * are masked.
 */
export function compareAnswers(old: HttpAnswer, ours: HttpAnswer, options: CompareOptions = {}): Verdict {
  const differences = new Differences();
  if (old.status !== ours.status) {
    differences.add('status', 'status', 'changed', () => ({
      level: 'different',
      old: String(old.status),
      ours: String(ours.status),
    }));
  }
  compareHeaders(old, ours, options, differences);
  compareBodies(old, ours, differences);
  return verdictOf(differences.list());
}
