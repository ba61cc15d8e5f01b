import type { HttpAnswer, HttpRequest } from '../messages';
import { compareAnswers, type CompareOptions } from '../verdict/compare-answers';
import { failedConnection, type Verdict, withoutNoise } from '../verdict/verdict';
import { isPage } from '../verdict/bodies';
import type { Asked, Side } from './side';

/** What came of asking both sides. */
export interface Pair {
  readonly verdict: Verdict;
  /** The old server's own two answers differ. */
  readonly isNoisy: boolean;
  /** Which sides answered. */
  readonly oldAnswered: boolean;
  readonly newAnswered: boolean;
}

export interface Sides {
  readonly old: Side;
  readonly ours: Side;
}

/**
 * Asks both sides, the old one once more where that does no harm, and judges.
 *
 * @param again - whether the request may go to the old side twice
 * @throws what the signal's reason is, where that ends it
 */
export async function comparePair(
  request: HttpRequest,
  { old, ours }: Sides,
  { again, signal, ...options }: CompareOptions & { readonly again: boolean; readonly signal: AbortSignal },
): Promise<Pair> {
  const [theirs, own] = await Promise.all([old.ask(request, signal), ours.ask(request, signal)]);
  const seen = { oldAnswered: theirs.kind === 'answer', newAnswered: own.kind === 'answer' };
  if (theirs.kind === 'failure' || own.kind === 'failure')
    return { ...seen, isNoisy: false, verdict: failed(theirs, own) };
  const answer = addressedAs(old.address, ours.address, own.answer);
  const verdict = compareAnswers(theirs.answer, answer, { ...options, request });
  const once = again ? await old.ask(request, signal) : theirs;
  if (once.kind === 'failure') return { ...seen, isNoisy: true, verdict: failed(once, own) };
  const noise = compareAnswers(theirs.answer, once.answer, options);
  return { ...seen, isNoisy: noise.level !== 'bytes', verdict: withoutNoise(verdict, noise) };
}

/** The verdict where a side, or both, gave no answer. */
export function failed(old: Asked, ours: Asked): Verdict {
  return failedConnection({
    ...(old.kind === 'failure' && { old: old.reason }),
    ...(ours.kind === 'failure' && { ours: ours.reason }),
  });
}

/** Documents name the server that they come from: ours are read as if they named the old one. */
function addressedAs(old: string, ours: string, answer: HttpAnswer): HttpAnswer {
  const { host } = new URL(ours);
  if (old === ours || !answer.body.includes(host)) return answer;
  let text = renamed(answer.body.toString('latin1'), ours, old);
  // The host alone stands in sample messages of pages; elsewhere it may be part of what is read.
  if (isPage(answer)) text = renamed(text, host, new URL(old).host);
  return { ...answer, body: Buffer.from(text, 'latin1') };
}

/** A name that goes on is another's. */
function renamed(text: string, from: string, to: string): string {
  return text.replace(
    new RegExp(`(?<![\\w.-])${from.replace(/[.[\]]/g, '\\$&')}(?![\\w.:-])`, 'g'),
    () => to,
  );
}
