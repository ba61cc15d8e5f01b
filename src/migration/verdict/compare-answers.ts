import type { HttpAnswer, HttpRequest } from '../messages';
import { compareBodies } from './bodies';
import { Differences, type Verdict, makeVerdict } from './verdict';
import { compareHeaders, type HeaderChoice } from './headers';
import { KNOWN_DIFFERENCES, withReasons } from './known-differences';

export interface CompareOptions extends HeaderChoice {
  /** Request for both answers: needed to mark intended differences with their reasons. */
  readonly request?: HttpRequest;
}

/** Compares our answer to a request with the old server's. Never throws; values in the verdict are masked. */
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
  const found = differences.list();
  const { request } = options;
  return makeVerdict(
    request === undefined ? found : withReasons(found, { request, old, ours }, KNOWN_DIFFERENCES),
  );
}
