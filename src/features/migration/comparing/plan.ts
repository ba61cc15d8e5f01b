import { type CallBinding, parseCall, type Sends } from '../calls';
import type { Recorded } from '../traffic/traffic';

/** Destination of sending requests; all others go to both servers. */
interface SendsTo {
  readonly old: boolean;
  readonly ours: boolean;
}

/** Selection of the traffic to send, and its destination. */
export interface Choice {
  readonly sends: Sends;
  readonly sendsTo: SendsTo;
  /** Maximum number of requests; undefined for all. */
  readonly count: number | undefined;
}

/** A request for one or both servers. */
export interface PlannedRequest {
  readonly recorded: Recorded;
  /** Empty if it names no known operation. */
  readonly operation: string;
  readonly binding: CallBinding;
  readonly isSend: boolean;
}

/** Called for each request that goes to neither server, with the reason. */
type LeftOut = (operation: string, why: 'send' | 'foreign') => void;

/** Yields the requests of the traffic that go to a server. */
export async function* choose(
  traffic: AsyncIterable<Recorded>,
  { sends, sendsTo, count = Infinity }: Choice,
  leftOut: LeftOut = () => undefined,
): AsyncGenerator<PlannedRequest> {
  let chosen = 0;
  if (count === 0) return;
  for await (const recorded of traffic) {
    const call = parseCall(recorded.request);
    const found = sends.classify(call);
    const operation = sends.findOperation(call);
    if (found === 'foreign' || (found === 'send' && !sendsTo.old && !sendsTo.ours)) leftOut(operation, found);
    else {
      yield { recorded, operation, binding: call.binding, isSend: found === 'send' };
      chosen += 1;
      if (chosen === count) return;
    }
  }
}

/** Preview of a run over the traffic. */
export interface Plan {
  readonly requests: number;
  /** Number of sending requests among them by operation; empty for those that name none. */
  readonly sending: ReadonlyMap<string, number>;
  /** Number of sending requests that go to neither server, by operation. */
  readonly withheld: ReadonlyMap<string, number>;
  /** Number of requests for none of the endpoints. */
  readonly foreign: number;
  /** Paths of the endpoints addressed, in one spelling each. */
  readonly paths: readonly string[];
}

const MAX_PATHS = 100;

/** Reads the traffic once, and sends nothing. @throws the signal's reason, if it ends the reading */
export async function plan(
  traffic: AsyncIterable<Recorded>,
  choice: Choice,
  signal: AbortSignal,
): Promise<Plan> {
  const sending = new Map<string, number>();
  const withheld = new Map<string, number>();
  const paths = new Map<string, string>();
  let requests = 0;
  let foreign = 0;
  const chosen = choose(traffic, choice, (operation, why) => {
    if (why === 'foreign') foreign += 1;
    else count(withheld, operation);
  });
  for await (const { recorded, operation, isSend } of chosen) {
    signal.throwIfAborted();
    requests += 1;
    if (isSend) count(sending, operation);
    const path = /^[^?]*?\.asmx/i.exec(recorded.request.target)?.[0];
    if (path !== undefined && paths.size < MAX_PATHS && !paths.has(path.toLowerCase()))
      paths.set(path.toLowerCase(), path);
  }
  return { requests, sending, withheld, foreign, paths: [...paths.values()] };
}

/** Combines the plans of two sources of traffic. */
export function plansTogether(one: Plan, other: Plan): Plan {
  const added = (names: ReadonlyMap<string, number>, more: ReadonlyMap<string, number>) => {
    const all = new Map(names);
    for (const [name, number] of more) all.set(name, (all.get(name) ?? 0) + number);
    return all;
  };
  return {
    requests: one.requests + other.requests,
    sending: added(one.sending, other.sending),
    withheld: added(one.withheld, other.withheld),
    foreign: one.foreign + other.foreign,
    paths: [...new Set([...one.paths, ...other.paths])],
  };
}

function count(names: Map<string, number>, name: string): void {
  names.set(name, (names.get(name) ?? 0) + 1);
}
