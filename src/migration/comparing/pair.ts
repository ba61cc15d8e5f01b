import type { HttpAnswer, HttpRequest } from '../messages';
import { compareAnswers, type CompareOptions } from '../verdict/compare-answers';
import { failedConnection, type Verdict, withoutNoise } from '../verdict/verdict';
import { isPage } from '../verdict/bodies';
import type { Reply, Side } from './side';

/** Result of sending a request to both servers. */
export interface Pair {
  readonly verdict: Verdict;
  /** True if two answers of the old server differ. */
  readonly isNoisy: boolean;
  /** True for a server that answered. */
  readonly oldAnswered: boolean;
  readonly newAnswered: boolean;
}

export interface Sides {
  readonly old: Side;
  readonly ours: Side;
}

/**
 * Sends a request to both servers, twice to the old one if that is harmless, and compares the answers.
 *
 * @param again - true if the request may be sent to the old server twice
 * @throws the signal's reason, if it ends the comparison
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

/** Returns the verdict if one or both servers gave no answer. */
export function failed(old: Reply, ours: Reply): Verdict {
  return failedConnection({
    ...(old.kind === 'failure' && { old: old.reason }),
    ...(ours.kind === 'failure' && { ours: ours.reason }),
  });
}

/** Replaces our own address in a document by the old server's, since documents contain their server's address. */
function addressedAs(old: string, ours: string, answer: HttpAnswer): HttpAnswer {
  const { host } = new URL(ours);
  if (old === ours || !answer.body.includes(host)) return answer;
  let text = renamed(answer.body.toString('latin1'), ours, old);
  // Only sample messages on pages contain the host alone; elsewhere it may be part of the content.
  if (isPage(answer)) text = renamed(text, host, new URL(old).host);
  return { ...answer, body: Buffer.from(text, 'latin1') };
}

/** Renames a host, but not as part of a longer name. */
function renamed(text: string, from: string, to: string): string {
  return text.replace(
    new RegExp(`(?<![\\w.-])${from.replace(/[.[\]]/g, '\\$&')}(?![\\w.:-])`, 'g'),
    () => to,
  );
}
