import { OperatorError } from '../../support/errors';
import { compareDescriptions } from '../descriptions';
import { type HttpRequest, NO_BODY } from '../messages';
import { DescriptionError, type ProbedService, readDescription } from '../probe/subject';
import type { Finding } from '../report/findings';
import { decodedBody } from '../verdict/bodies';
import type { Asked, Side } from './side';
import { failed } from './pair';

/** One of the two cannot be reached at all, or has nothing to compare. */
export class CannotCompare extends OperatorError {
  override readonly name = 'CannotCompare';
}

/** What a side answers for the descriptions of endpoints, by their paths. */
export type Described = ReadonlyMap<string, Asked>;

/**
 * Asks a side for the descriptions of endpoints.
 *
 * @param name - of the side, for the message
 * @throws CannotCompare where it gives no answer to any, or what the signal's reason is
 */
export async function describe(
  paths: readonly string[],
  side: Side,
  name: 'old' | 'new',
  signal: AbortSignal,
): Promise<Described> {
  const described = new Map<string, Asked>();
  for (const path of paths) described.set(path, await side.ask(descriptionOf(path), signal));
  const asked = [...described.values()];
  const reasons = asked.flatMap((one) => (one.kind === 'failure' ? [one.reason] : []));
  if (asked.length > 0 && reasons.length === asked.length)
    throw new CannotCompare(`The ${name} server at ${side.address} gives no answer: ${reasons[0] ?? ''}.`);
  return described;
}

/** Compares the descriptions of the endpoints that both were asked for. */
export function* describedDifferently(old: Described, ours: Described): Generator<Finding> {
  for (const [path, theirs] of old) {
    const own = ours.get(path);
    if (own === undefined) continue;
    const verdict =
      theirs.kind === 'answer' && own.kind === 'answer'
        ? compareDescriptions(theirs.answer, own.answer)
        : failed(theirs, own);
    yield { request: descriptionOf(path), binding: 'description', verdict };
  }
}

function descriptionOf(path: string): HttpRequest {
  return { method: 'GET', target: `${path}?WSDL`, headers: [], body: NO_BODY };
}

/**
 * The services that descriptions of the old side tell of.
 *
 * @param unread - told of a path without one that can be read, and why
 */
export async function servicesOf(
  described: Described,
  unread: (path: string, reason: string) => void,
): Promise<readonly ProbedService[]> {
  const services: ProbedService[] = [];
  for (const [path, asked] of described) {
    try {
      services.push({ path, contract: await readDescription(descriptionText(asked)) });
    } catch (error) {
      if (!(error instanceof DescriptionError)) throw error;
      unread(path, error.message);
    }
  }
  return services;
}

function descriptionText(asked: Asked): string {
  if (asked.kind === 'failure') throw new DescriptionError(asked.reason);
  const { status } = asked.answer;
  if (status !== 200) throw new DescriptionError(`It answers with status ${String(status)}.`);
  return decodedBody(asked.answer);
}
