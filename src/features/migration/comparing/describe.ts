import { OperatorError } from '../../../support/errors';
import { compareDescriptions } from '../descriptions';
import { type HttpRequest, NO_BODY } from '../messages';
import { DescriptionError, type ProbedService, readDescription } from '../probe/subject';
import type { Finding } from '../report/findings';
import { decodedBody } from '../verdict/bodies';
import { isFailing } from '../verdict/verdict';
import { type Reply, Target } from './target';
import { failed } from './compare-request';

/** Thrown when a server is completely unreachable, or has nothing to compare. */
export class CannotCompare extends OperatorError {
  override readonly name = 'CannotCompare';
}

/** Answers of a server for the descriptions of endpoints, by path. */
export type Described = ReadonlyMap<string, Reply>;

/**
 * Requests the descriptions of endpoints from a server.
 *
 * @param name - name of the server, for the message
 * @throws CannotCompare if it answers none of them, or the signal's reason
 */
export async function describe(
  paths: readonly string[],
  target: Target,
  name: 'old' | 'new',
  signal: AbortSignal,
): Promise<Described> {
  const described = new Map<string, Reply>();
  for (const path of paths) described.set(path, await target.ask(descriptionRequest(path), signal));
  const asked = [...described.values()];
  const reasons = asked.flatMap((one) => (one.kind === 'failure' ? [one.reason] : []));
  if (asked.length > 0 && reasons.length === asked.length)
    throw new CannotCompare(`No response from the ${name} server at ${target.address}: ${reasons[0] ?? ''}.`);
  return described;
}

/** Comparison of an old server's description of an endpoint with the contract. */
interface DescriptionCheck {
  readonly path: string;
  /** Reason why it did not answer, in one line; undefined if it did. */
  readonly failure: string | undefined;
  /** Places at which the descriptions differ for a client; `/` for the whole. */
  readonly differences: readonly string[];
}

/** Maximum size of a description, in bytes. */
const MAX_DESCRIPTION_BYTES = 4 * 1024 * 1024;

/**
 * Requests a server's descriptions, all at once, and compares them with the contract.
 *
 * @param contract - descriptions by path
 * @param milliseconds - time limit for an answer
 */
export async function checkDescriptions(
  url: string,
  contract: ReadonlyMap<string, string>,
  milliseconds: number,
): Promise<readonly DescriptionCheck[]> {
  const target = await Target.open({
    ...{ url: new URL(url), headers: [], ca: undefined, milliseconds },
    ...{ bytes: MAX_DESCRIPTION_BYTES, connections: contract.size },
  });
  const { signal } = new AbortController();
  try {
    return await Promise.all(
      [...contract].map(async ([path, text]): Promise<DescriptionCheck> => {
        const asked = await target.ask(descriptionRequest(path), signal);
        if (asked.kind === 'failure') return { path, failure: asked.reason, differences: [] };
        const ours = { status: 200, headers: asked.answer.headers, body: Buffer.from(text) };
        const { differences } = compareDescriptions(asked.answer, ours);
        return {
          path,
          failure: undefined,
          differences: differences.filter(isFailing).map(({ place }) => place),
        };
      }),
    );
  } finally {
    await target.close();
  }
}

/** Compares the descriptions of endpoints from both servers. */
export function* describedDifferently(old: Described, ours: Described): Generator<Finding> {
  for (const [path, theirs] of old) {
    const own = ours.get(path);
    if (own === undefined) continue;
    const verdict =
      theirs.kind === 'answer' && own.kind === 'answer'
        ? compareDescriptions(theirs.answer, own.answer)
        : failed(theirs, own);
    yield { request: descriptionRequest(path), binding: 'description', verdict };
  }
}

function descriptionRequest(path: string): HttpRequest {
  return { method: 'GET', target: `${path}?WSDL`, headers: [], body: NO_BODY };
}

/** @param unread - called with a path without a readable description, and the reason */
export async function readServices(
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

function descriptionText(asked: Reply): string {
  if (asked.kind === 'failure') throw new DescriptionError(asked.reason);
  const { status } = asked.answer;
  if (status !== 200) throw new DescriptionError(`Status ${String(status)}.`);
  return decodedBody(asked.answer);
}
