import type { Finding } from '../../support/errors';
import { inTime, type Node, readNodeFacts } from '../history';
import type { Backlog, BusyWorker, HeldArea, NodeFacts, NodeRecord, Store } from '../../store';

/** How the service is at a moment. */
export interface Condition {
  /** What the store knows; undefined where it does not answer in time. */
  readonly store: StoreCondition | undefined;
  /** The node whose console this is, as it is now. */
  readonly node: NodeFacts;
  /** What is wrong with the settings, or worth knowing of them. */
  readonly findings: readonly Finding[];
}

export interface StoreCondition {
  readonly backlog: readonly Backlog[];
  readonly workers: readonly BusyWorker[];
  readonly heldAreas: readonly HeldArea[];
  /** As they said within the last minute, or when they were heard of last. */
  readonly otherNodes: readonly NodeRecord[];
}

/** Looks at everything, and waits for nothing long. */
export async function readCondition(
  store: Store,
  node: Node,
  findings: readonly Finding[],
  now: number,
): Promise<Condition> {
  const [ofStore, facts] = await Promise.all([inTime(readStore(store, node, now)), readNodeFacts(node)]);
  return { store: ofStore, node: facts, findings };
}

async function readStore(store: Store, { name: own }: Node, now: number): Promise<StoreCondition> {
  await store.ping();
  return {
    backlog: await store.outbox.backlog(),
    workers: await store.outbox.busyWorkers(),
    heldAreas: await store.codeTraffic.heldSince(now),
    otherNodes: (await store.nodes.list()).filter(({ name }) => name !== own),
  };
}
