import { type CallBinding, callOf, type Sends } from '../calls';
import type { Recorded } from '../traffic/traffic';

/** Where requests that send go; all others go to both sides. */
interface SendsTo {
  readonly old: boolean;
  readonly ours: boolean;
}

/** Which requests of the traffic are sent, and where. */
export interface Choice {
  readonly sends: Sends;
  readonly sendsTo: SendsTo;
  /** How many are sent at most; undefined for all. */
  readonly count: number | undefined;
}

/** A request that goes to a side, or to both. */
export interface Chosen {
  readonly recorded: Recorded;
  /** Empty where it names none that is known. */
  readonly operation: string;
  readonly binding: CallBinding;
  readonly isSend: boolean;
}

/** Told of a request that goes to neither side, and why. */
type LeftOut = (operation: string, why: 'send' | 'foreign') => void;

/** Goes through traffic, and has those that go to a side. */
export async function* choose(
  traffic: AsyncIterable<Recorded>,
  { sends, sendsTo, count = Infinity }: Choice,
  leftOut: LeftOut = () => undefined,
): AsyncGenerator<Chosen> {
  let chosen = 0;
  if (count === 0) return;
  for await (const recorded of traffic) {
    const call = callOf(recorded.request);
    const found = sends.classOf(call);
    const operation = sends.operationOf(call);
    if (found === 'foreign' || (found === 'send' && !sendsTo.old && !sendsTo.ours)) leftOut(operation, found);
    else {
      yield { recorded, operation, binding: call.binding, isSend: found === 'send' };
      chosen += 1;
      if (chosen === count) return;
    }
  }
}

/** What a run over the traffic would do. */
export interface Plan {
  /** Requests that go to a side. */
  readonly requests: number;
  /** How many of these send, by operation; empty for those that name none. */
  readonly sending: ReadonlyMap<string, number>;
  /** How many that send go to neither side, likewise. */
  readonly withheld: ReadonlyMap<string, number>;
  /** How many are for none of the endpoints. */
  readonly foreign: number;
  /** Paths of the endpoints that requests are for, one spelling of each. */
  readonly paths: readonly string[];
}

const MOST_PATHS = 100;

/**
 * Goes through the traffic once, and sends nothing.
 *
 * @throws what the signal's reason is, where that ends it
 */
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
    if (path !== undefined && paths.size < MOST_PATHS && !paths.has(path.toLowerCase()))
      paths.set(path.toLowerCase(), path);
  }
  return { requests, sending, withheld, foreign, paths: [...paths.values()] };
}

/** The plan of two pieces of traffic, one after the other. */
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
