import type { Config } from '../../config';
import {
  type Backlog,
  type BusyWorker,
  type StatsPoint,
  type CodeResults,
  type Holds,
  type MessageChannel,
  type NodeRecord,
  PROVIDER_CHANNELS,
  type ProviderChannel,
  SILENT_MS,
  type Store,
} from '../../store';
import { ALL_FEATURES } from '../../features/feature';
import type { Finding } from '../../support/errors';
import { inTime } from '../history/minute-stats';
import { type Node, readNodeFacts } from '../history/nodes';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations';
import type { Match } from './match';

/** A token of the sample school. */
export const SAMPLE_DEVICE = 'DEV-1';

/** States which schools a database contains: the sample school (perhaps beside others), others, or none. */
export type LoadedSchools = 'sample' | 'others' | 'nothing';

export async function findLoadedSchools({
  devices,
  schools,
}: Pick<Store, 'devices' | 'schools'>): Promise<LoadedSchools> {
  if ((await devices.tokenOf(SAMPLE_DEVICE)) !== '') return 'sample';
  return (await schools.page(1)).length > 0 ? 'others' : 'nothing';
}

/** The state of the service at a moment: everything that the alert rules use. */
export interface Snapshot {
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /** Undefined while the database does not answer in time. */
  readonly store: StoreSnapshot | undefined;
  readonly node: NodeRecord;
  /** This node, and the others that are not silent: the last report of a silent one no longer counts. */
  readonly speakingNodes: readonly NodeRecord[];
  /** Servers of PostgreSQL that accept writes although they are not the primary, as `HOST:PORT`. */
  readonly secondPrimaries: readonly string[];
  /** Problems found in the settings at the start. */
  readonly findings: readonly Finding[];
  /** Channels whose messages are written to a file and not sent. */
  readonly fileChannels: readonly ProviderChannel[];
}

interface StoreSnapshot {
  readonly backlog: readonly Backlog[];
  readonly workers: readonly BusyWorker[];
  /** Stats of the last hour by the minute; the last ten seconds are missing. */
  readonly minutes: readonly StatsPoint[];
  /** Stats of the last 24 hours by the hour. */
  readonly hours: readonly StatsPoint[];
  /** The other nodes, each at most a minute old unless it is silent. */
  readonly otherNodes: readonly NodeRecord[];
  readonly loadedSchools: LoadedSchools;
  readonly holds: Holds;
  /** Codes that ended in the last ten minutes. */
  readonly codes: CodeResults;
  /** Holds what each rule with `search` found, by its name. */
  readonly found: ReadonlyMap<string, readonly Match[]>;
}

/** Settings that the rules use. */
export interface AlertSettings {
  readonly config: Config;
  readonly findings: readonly Finding[];
}

/** Maximum time to read what the rules need from a database that answers, in milliseconds: it may be busy. */
const READ_WITHIN_MS = 10_000;

/** Reads everything. Like /readyz, it waits two seconds for the database to answer. */
export async function readSnapshot(
  store: Store,
  node: Node,
  { config, findings }: AlertSettings,
  now: number,
): Promise<Snapshot> {
  const [stored, facts] = await Promise.all([
    inTime(store.ping().then(() => true)).then((isAnswered) =>
      isAnswered ? inTime(readStore(store, node, config, now), READ_WITHIN_MS) : undefined,
    ),
    readNodeFacts(node),
  ]);
  const channels = { sms: config.SMS_CHANNEL, push: config.PUSH_CHANNEL };
  return withSpeakingNodes({
    now,
    store: stored,
    node: { ...facts, name: node.name, heardAt: now },
    secondPrimaries: store.secondPrimaries,
    findings,
    fileChannels: PROVIDER_CHANNELS.filter(
      (channel) => channels[channel] === 'file' && config.ROLE !== 'web',
    ),
  });
}

async function readStore(
  store: Store,
  { name: own }: Node,
  config: Config,
  now: number,
): Promise<StoreSnapshot> {
  return {
    backlog: await store.outbox.backlog(),
    workers: await store.deliveries.busyWorkers(),
    minutes: await store.stats.read({ from: now - HOUR_MS, to: now, stepMs: MINUTE_MS }),
    hours: await store.stats.read({ from: now - DAY_MS, to: now, stepMs: HOUR_MS }),
    otherNodes: (await store.nodes.list()).filter(({ name }) => name !== own),
    loadedSchools: await findLoadedSchools(store),
    holds: await store.workers.holds(now),
    codes: await store.deliveries.codeResults(now - 10 * MINUTE_MS),
    found: await searchForFeatures(store, now, config),
  };
}

async function searchForFeatures(
  store: Store,
  now: number,
  config: Config,
): Promise<ReadonlyMap<string, readonly Match[]>> {
  const found = new Map<string, readonly Match[]>();
  for (const { name, search } of ALL_FEATURES.flatMap(({ alertRules = [] }) => alertRules))
    if (search !== undefined) found.set(name, await search(store, now, config));
  return found;
}

/** Adds the nodes that are not silent to what was read. */
export function withSpeakingNodes(read: Omit<Snapshot, 'speakingNodes'>): Snapshot {
  const { node, store } = read;
  const others = (store?.otherNodes ?? []).filter(({ heardAt }) => !isSilent(heardAt, node.heardAt));
  return { ...read, speakingNodes: [node, ...others] };
}

/** Tells whether a node has been silent for over three minutes. Times are milliseconds since 1970 UTC. */
export function isSilent(heardAt: number, now: number): boolean {
  return now - heardAt > SILENT_MS;
}

/** Returns the counts of messages that ended within some minutes, of at most an hour. */
export function endedMessages(
  { now, store }: Snapshot,
  channel: MessageChannel,
  minutes: number,
): { readonly all: number; readonly failed: number; readonly sent: number } {
  const ended = recent(store?.minutes ?? [], now, minutes)
    .flatMap(({ settled }) => settled)
    .filter((each) => each.channel === channel);
  const count = (...states: readonly string[]): number =>
    ended.filter(({ state }) => states.includes(state)).reduce((sum, { messages }) => sum + messages, 0);
  return {
    all: ended.reduce((sum, { messages }) => sum + messages, 0),
    failed: count('failed', 'expired'),
    sent: count('sent', 'written'),
  };
}

/** Returns the points of the last minutes, without the minute that the period begins in. */
export function recent(points: readonly StatsPoint[], now: number, minutes: number): readonly StatsPoint[] {
  return points.filter(({ at }) => at >= now - minutes * MINUTE_MS);
}
