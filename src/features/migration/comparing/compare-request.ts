import { isUtf8 } from 'node:buffer';

import type { HttpAnswer, HttpRequest } from '../messages';
import { compareAnswers, type CompareOptions } from '../verdict/compare-answers';
import {
  type Difference,
  failedConnection,
  fails,
  type Verdict,
  makeVerdict,
  withoutNoise,
} from '../verdict/verdict';
import { isPage } from '../verdict/bodies';
import type { Reply, Target } from './target';

export interface RequestComparison {
  readonly verdict: Verdict;
  /** True if two answers of the old server differ. */
  readonly isNoisy: boolean;
  /** True for a server that answered. */
  readonly oldAnswered: boolean;
  readonly newAnswered: boolean;
}

export interface Targets {
  readonly old: Target;
  readonly ours: Target;
}

/**
 * Sends a request to both servers, twice to the old one if that is harmless, and compares the answers.
 *
 * @param again - true if the request may be sent to the old server twice
 * @throws the signal's reason, if it ends the comparison
 */
export async function compareRequest(
  request: HttpRequest,
  { old, ours }: Targets,
  { again, signal, ...options }: CompareOptions & { readonly again: boolean; readonly signal: AbortSignal },
): Promise<RequestComparison> {
  const [theirs, own] = await Promise.all([old.ask(request, signal), ours.ask(request, signal)]);
  const seen = { oldAnswered: theirs.kind === 'answer', newAnswered: own.kind === 'answer' };
  if (theirs.kind === 'failure' || own.kind === 'failure')
    return { ...seen, isNoisy: false, verdict: failed(theirs, own) };
  const answer = addressedAs(old.address, ours.address, own.answer);
  const differences = compareAnswers(theirs.answer, answer, { ...options, request });
  const once = again ? await old.ask(request, signal) : theirs;
  if (once.kind === 'failure') return { ...seen, isNoisy: true, verdict: failed(once, own) };
  const noise = compareAnswers(theirs.answer, once.answer, options);
  const verdict = withoutNoise(differences, noise);
  const isOfCase = again && fails(verdict) && (await findsInOtherCase(request, theirs.answer, ours, signal));
  return {
    ...{ ...seen, isNoisy: noise.level !== 'bytes' },
    verdict: isOfCase ? makeVerdict([LETTER_CASE]) : verdict,
  };
}

const LETTER_CASE: Difference = { part: 'body', place: '/', what: 'letter case', level: 'different' };

/** Letter cases in which an id may be stored; Turkish has other pairs of letters. */
const LETTER_CASES: readonly ((text: string) => string)[] = ['en', 'tr'].flatMap((locale) => [
  (text: string) => text.toLocaleLowerCase(locale),
  (text: string) => text.toLocaleUpperCase(locale),
]);

/**
 * Returns true if the new server gives the old one's answer once the values of the request are in another
 * letter case.
 */
async function findsInOtherCase(
  request: HttpRequest,
  theirs: HttpAnswer,
  ours: Target,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isUtf8(request.body)) return false;
  for (const change of LETTER_CASES) {
    const changed = withValues(request, change);
    if (changed.target === request.target && changed.body.equals(request.body)) continue;
    const own = await ours.ask(changed, signal);
    if (own.kind === 'answer' && compareAnswers(theirs, own.answer).level === 'bytes') return true;
  }
  return false;
}

/** Changes the values of a request: of its query, and of its form or its elements. */
function withValues(request: HttpRequest, change: (text: string) => string): HttpRequest {
  const [path = '', ...queries] = request.target.split('?');
  const text = request.body.toString();
  const isMarkup = text.trimStart().startsWith('<');
  const body = isMarkup ? text.replace(/>[^<>&]+</g, change) : inForm(text, change);
  return {
    ...request,
    target: queries.length === 0 ? path : `${path}?${inForm(queries.join('?'), change)}`,
    // The changed body has another length, which the client sets.
    headers: request.headers.filter(([name]) => name.toLowerCase() !== 'content-length'),
    body: Buffer.from(body),
  };
}

function inForm(form: string, change: (text: string) => string): string {
  const changed = Array.from(new URLSearchParams(form), ([name, value]): [string, string] => [
    name,
    change(value),
  ]);
  return new URLSearchParams(changed).toString();
}

/** Returns the verdict if one or both servers gave no answer. */
export function failed(old: Reply, ours: Reply): Verdict {
  return failedConnection({
    ...(old.kind === 'failure' && { old: old.reason }),
    ...(ours.kind === 'failure' && { ours: ours.reason }),
  });
}

/**
 * Replaces our own address in a document by the old server's, since documents contain their server's address.
 */
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
