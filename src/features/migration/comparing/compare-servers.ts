import { setMaxListeners } from 'node:events';

import { probe } from '../probe/probe';
import type { ProbedService } from '../probe/subject';
import { readValues, valuesTemplate } from '../probe/requests';
import { bindingName, type Findings, FindingsTotal } from '../report/findings';
import type { Recorded } from '../traffic/traffic';
import type { CompareOptions } from '../verdict/compare-answers';
import { CannotCompare, describe, type Described, describedDifferently, readServices } from './describe';
import { type Targets, compareRequest, type RequestComparison } from './compare-request';
import { type Choice, type Plan, plan, plansTogether, choose, type PlannedRequest } from './plan';
import { Target, type TargetOptions } from './target';
import { RateLimit } from './rate-limit';

/** Traffic generated from the old server's descriptions. */
interface ProbeOptions {
  /** Paths of the endpoints: `/Scheduals.asmx`. */
  readonly paths: readonly string[];
  /** Contents and name of a file of values. */
  readonly values: { readonly text: string; readonly file: string } | undefined;
}

interface ComparisonOptions extends Choice {
  readonly old: TargetOptions;
  readonly ours: TargetOptions;
  /** Returns the recorded traffic from its beginning: it is read twice. */
  readonly traffic: () => AsyncIterable<Recorded>;
  readonly probe: ProbeOptions | undefined;
  readonly compare: CompareOptions;
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  /** Time limit of the run; undefined for none. */
  readonly milliseconds: number | undefined;
  /** Ends the run early; the results so far are reported. */
  readonly signal: AbortSignal;
  /** Called before anything but descriptions is requested. */
  readonly onPlan: (plan: Plan) => void;
  readonly onProgress: (done: number) => void;
  /** Called with notes for the operator, one line each. */
  readonly onNote: (note: string) => void;
}

/** Result of a comparison. */
export interface Comparison {
  readonly findings: Findings;
  /** Reason for the end: no more traffic, the time limit, or the signal. */
  readonly ended: 'traffic' | 'time' | 'signal';
  /** Number of pairs for which two answers of the old server differ. */
  readonly noisy: number;
  /** Number of requests sent to one server only. */
  readonly oneSided: number;
}

/**
 * Compares two servers: their descriptions, then their answers to traffic.
 *
 * @throws CannotCompare if a server is unreachable, or there is nothing to compare; OperatorError
 */
export async function compareServers(options: ComparisonOptions): Promise<Comparison> {
  const targets = { old: await Target.open(options.old), ours: await Target.open(options.ours) };
  try {
    return await compareTargets(targets, options);
  } finally {
    await Promise.all([targets.old.close(), targets.ours.close()]);
  }
}

/**
 * Returns a file of values for a probe, generated from a server's descriptions.
 *
 * @throws CannotCompare if the server is unreachable
 */
export async function sampleValues(
  server: TargetOptions,
  paths: readonly string[],
  onNote: (note: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const target = await Target.open(server);
  try {
    return valuesTemplate(await probedServices(await describe(paths, target, 'old', signal), onNote));
  } finally {
    await target.close();
  }
}

async function compareTargets(targets: Targets, options: ComparisonOptions): Promise<Comparison> {
  const { signal, count = Infinity } = options;
  const base = new URL(targets.old.address).pathname.replace(/\/$/, '');
  const traffic = () => below(base, options.traffic());
  const recorded = await plan(traffic(), options, signal);
  const paths = [...new Set([...recorded.paths, ...(options.probe?.paths ?? [])])];
  const [old, ours] = await Promise.all([
    describe(paths, targets.old, 'old', signal),
    describe(paths, targets.ours, 'new', signal),
  ]);
  const total = new FindingsTotal(targets.ours.address);
  for (const finding of describedDifferently(old, ours)) total.add(finding);

  const made = await probeTraffic(old, options);
  const left = { ...options, count: count === Infinity ? undefined : count - recorded.requests };
  const whole = plansTogether(recorded, await plan(made(), left, signal));
  if (whole.requests === 0) throw new CannotCompare('No requests to compare.');
  options.onPlan(whole);

  const counts = { done: 0, noisy: 0, oneSided: 0 };
  const inTime = options.milliseconds === undefined ? undefined : AbortSignal.timeout(options.milliseconds);
  await run(both(traffic(), made()), {
    ...options,
    targets,
    signal: inTime === undefined ? signal : AbortSignal.any([signal, inTime]),
    onDone: ({ recorded: { request, source }, operation, binding }, pair) => {
      counts.done += 1;
      options.onProgress(counts.done);
      if (pair === undefined) counts.oneSided += 1;
      else {
        if (pair.isNoisy) counts.noisy += 1;
        total.add({ request, source, operation, binding: bindingName(binding), verdict: pair.verdict });
      }
    },
  });
  const { noisy, oneSided } = counts;
  const isWhole = counts.done === whole.requests;
  const ended = isWhole ? 'traffic' : signal.aborted ? 'signal' : inTime?.aborted ? 'time' : 'traffic';
  return { findings: total.findings(), ended, noisy, oneSided };
}

async function probeTraffic(
  old: Described,
  { probe: wanted, onNote }: ComparisonOptions,
): Promise<() => AsyncIterable<Recorded>> {
  if (wanted === undefined) return () => each([]);
  const services = await probedServices(
    new Map([...old].filter(([path]) => wanted.paths.includes(path))),
    onNote,
  );
  const { text, file } = wanted.values ?? { text: '{}', file: '' };
  const values = readValues(text, file, services, onNote);
  return () => each(probe(services, values));
}

async function probedServices(
  old: Described,
  onNote: (note: string) => void,
): Promise<readonly ProbedService[]> {
  return readServices(old, (path, reason) => onNote(`Ignored the old server's WSDL of ${path}: ${reason}`));
}

/**
 * Removes the path of the old server's address from recorded targets; each server's own path is added later.
 */
async function* below(base: string, traffic: AsyncIterable<Recorded>): AsyncGenerator<Recorded> {
  for await (const { request, source } of traffic) {
    const { target } = request;
    const isBelow = target.toLowerCase().startsWith(`${base}/`.toLowerCase());
    yield { source, request: isBelow ? { ...request, target: target.slice(base.length) } : request };
  }
}

async function* both<T>(first: AsyncIterable<T>, second: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* second;
}

function each<T>(items: Iterable<T>): AsyncIterable<T> {
  const iterator = items[Symbol.iterator]();
  const next = () => Promise.resolve(iterator.next());
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

interface RunOptions extends Choice {
  readonly targets: Targets;
  readonly compare: CompareOptions;
  readonly concurrency: number;
  /** Maximum number of requests per second; undefined for no limit. */
  readonly perSecond: number | undefined;
  /** Ends the run: nothing more is started, and requests in progress are dropped. */
  readonly signal: AbortSignal;
  /** Called for each completed request; without a pair if it was sent to one server only. */
  readonly onDone: (chosen: PlannedRequest, pair: RequestComparison | undefined) => void;
}

/** Sends traffic to both servers until the traffic or the signal ends. */
export async function run(traffic: AsyncIterable<Recorded>, options: RunOptions): Promise<void> {
  const { concurrency, perSecond, signal } = options;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  if (signal.aborted) return;
  // Every request in progress adds a listener.
  setMaxListeners(0, ending.signal);
  signal.addEventListener('abort', end);
  const chosen = choose(traffic, options);
  const pace = new RateLimit(perSecond);
  const work = async (): Promise<void> => {
    for (;;) {
      await pace.turn(ending.signal);
      const next = await chosen.next();
      if (next.done === true || ending.signal.aborted) return;
      options.onDone(next.value, await send(next.value, options, ending.signal));
    }
  };
  try {
    await Promise.all(
      Array.from({ length: concurrency }, () =>
        work().catch((error: unknown) => {
          // The first failure stops the others; their errors are ignored.
          const isFirst = !ending.signal.aborted;
          end();
          if (isFirst) throw error;
        }),
      ),
    );
  } finally {
    signal.removeEventListener('abort', end);
    await chosen.return(undefined);
  }
}

async function send(
  { recorded: { request }, isSend }: PlannedRequest,
  { targets, sendsTo, compare }: RunOptions,
  signal: AbortSignal,
): Promise<RequestComparison | undefined> {
  // A sending request is never sent to the same server twice.
  if (!isSend || (sendsTo.old && sendsTo.ours))
    return compareRequest(request, targets, { ...compare, again: !isSend, signal });
  await (sendsTo.old ? targets.old : targets.ours).ask(request, signal);
  return undefined;
}
