import { EngineRepository } from '../engine/engine';
import { listMarks, removeMark, setMark } from '../keeping/marks';
import { DAY_MS, SECOND_MS } from '../../support/durations';
import type { Sentence } from '../../support/phrase';
import { parseInternational } from '../../support/phones';
import { hasProvider, type MessageChannel, type ProviderChannel } from './channels';
import type { DeliveryRecord } from './deliveries';
import { adviceOnReason, briefAnswer, type HoldCause, type Reason, type ReasonText } from './reasons';

/** A time in which due messages were not sent. Points in time are milliseconds since 1970 UTC. */
export interface Hold {
  readonly cause: HoldCause;
  /** Null for all channels. */
  readonly channel: ProviderChannel | null;
  /** Name of the gateway; null for all. */
  readonly gateway: string | null;
  /** Answer of the gateway that began it, if one did. */
  readonly reason: Reason | null;
  readonly since: number;
  /** Null while it lasts. */
  readonly until: number | null;
}

/** Gateways of the messages to some countries. The first route that fits a message is used. */
export interface HeldRoute {
  readonly channel: ProviderChannel;
  /** Undefined for all countries. */
  readonly countries?: readonly string[] | undefined;
  /** Names, preferred first. */
  readonly gateways: readonly string[];
}

/** Report of a worker. */
export interface WorkerReport {
  readonly routes: readonly HeldRoute[];
  /** Lists what holds messages now, and what did in the last 24 hours. */
  readonly holds: readonly Hold[];
  /** True if it has shut down. */
  readonly hasStopped?: boolean;
}

export interface WorkerRecord extends WorkerReport {
  readonly name: string;
  readonly heardAt: number;
}

/** Interval between the reports of a worker with nothing new, in milliseconds. */
export const WORKER_PULSE_MS = 20 * SECOND_MS;
/** A worker that has been silent for this long counts as down. */
const WORKER_SILENT_MS = 3 * WORKER_PULSE_MS;
/** Older holds explain nothing any more. */
const HOLD_KEPT_MS = DAY_MS;
const MAX_HOLDS = 50;

/** Without a worker that was heard of. */
export const NO_HOLDS: Holds = { routes: [], holds: [], ofSome: [] };

/** The workers that deliver from a database, with what holds their messages. */
export class Workers extends EngineRepository {
  /** Stores the report of a worker. @param now - milliseconds since 1970 UTC */
  say(name: string, report: WorkerReport, now: number): Promise<void> {
    const holds = report.holds
      .filter(({ until }) => until === null || until > now - HOLD_KEPT_MS)
      .slice(-MAX_HOLDS);
    const mark = { at: now, detail: JSON.stringify({ ...report, holds }) };
    return this.engine.write(async ({ kysely }) => {
      await setMark(kysely, `worker ${name}`, mark);
      const known = await listMarks(kysely, 'worker ');
      for (const each of known) if (each.at < now - HOLD_KEPT_MS) await removeMark(kysely, each.name);
    });
  }

  /** Returns what holds messages. @param now - milliseconds since 1970 UTC */
  async holds(now: number): Promise<Holds> {
    return mergeHolds(await this.list(), now);
  }

  /** Lists the workers that were heard of within 24 hours. */
  async list(): Promise<readonly WorkerRecord[]> {
    const marks = await listMarks((this.engine.reads ?? this.engine.direct).kysely, 'worker ');
    return marks.map(({ name, at, detail }) => ({
      // Only `say` writes these marks, from this type.
      ...(JSON.parse(detail) as WorkerReport),
      name: name.slice('worker '.length),
      heardAt: at,
    }));
  }
}

/** Lists what holds messages, and what did in the last 24 hours. */
export interface Holds {
  /** Routes of the working workers; empty if none is known. */
  readonly routes: readonly HeldRoute[];
  /** Holds of all workers together: what holds them all now, and what held one of them before. */
  readonly holds: readonly Hold[];
  /** Lists what holds messages of some workers now. */
  readonly ofSome: readonly Hold[];
}

/** Merges the reports of the workers. @param now - milliseconds since 1970 UTC */
export function mergeHolds(workers: readonly WorkerRecord[], now: number): Holds {
  const alive = workers.filter((worker) => isAlive(worker, now));
  if (alive.length === 0) {
    const last = Math.max(...workers.map(({ heardAt }) => heardAt));
    const holds = workers.flatMap((worker) => worker.holds.map((hold) => ended(hold, worker.heardAt)));
    // A database without any report may belong to a service that has not started yet.
    const down = workers.length === 0 ? [] : [noWorker(last, null)];
    return { routes: workers[0]?.routes ?? [], holds: [...holds, ...down], ofSome: down };
  }
  const [first, ...others] = alive;
  const current = (worker: WorkerRecord): readonly Hold[] =>
    worker.holds.filter(({ until }) => until === null);
  // Another worker sends what only one of them holds.
  const shared = (first === undefined ? [] : current(first)).flatMap((hold) => {
    const same = others.map((worker) => current(worker).find((each) => isSameHold(each, hold)));
    if (same.includes(undefined)) return [];
    return [{ ...hold, since: Math.max(hold.since, ...same.map((each) => each?.since ?? 0)) }];
  });
  const past = workers.flatMap((worker) => {
    const holds = isAlive(worker, now)
      ? worker.holds
      : worker.holds.map((hold) => ended(hold, worker.heardAt));
    return holds.filter(({ until }) => until !== null);
  });
  const all = alive.flatMap(current).toSorted((one, other) => one.since - other.since);
  const ofSome = all.filter((hold, at) => all.findIndex((each) => isSameHold(each, hold)) === at);
  return { routes: first?.routes ?? [], holds: [...past, ...shared], ofSome };
}

function isAlive({ heardAt, hasStopped }: WorkerRecord, now: number): boolean {
  return hasStopped !== true && heardAt > now - WORKER_SILENT_MS;
}

function ended(hold: Hold, at: number): Hold {
  return { ...hold, until: hold.until ?? Math.max(hold.since, at) };
}

/** Returns the hold of all messages while no worker runs. */
export function noWorker(since: number, until: number | null): Hold {
  return { cause: 'worker', channel: null, gateway: null, reason: null, since, until };
}

export function isSameHold(one: Hold, other: Hold): boolean {
  return one.cause === other.cause && one.channel === other.channel && one.gateway === other.gateway;
}

/** Finds the gateways of a message: those of the first route that fits its recipient. */
export function gatewaysFor(
  routes: readonly HeldRoute[],
  { channel, recipient }: { readonly channel: MessageChannel; readonly recipient: string },
): readonly string[] {
  const country = (): string | undefined => parseInternational(recipient)?.country;
  const route = routes.find(
    (each) => each.channel === channel && (each.countries?.includes(country() ?? '') ?? true),
  );
  return route?.gateways ?? [];
}

/**
 * Returns the hold of a channel's messages for a recipient: of all of their gateways, as the first of them
 * reports it.
 */
export function holdNow(
  { routes, holds }: Holds,
  message: Pick<DeliveryRecord, 'channel' | 'recipient'>,
): Hold | undefined {
  const current = holds.filter(({ until }) => until === null);
  const all = current.find(({ channel }) => channel === null);
  if (all !== undefined || !hasProvider(message.channel)) return all;
  const gateways = gatewaysFor(routes, message);
  const found = gateways.map((name) =>
    current.find(({ channel, gateway }) => channel === message.channel && gateway === name),
  );
  return found.includes(undefined) ? undefined : found[0];
}

/** Minimum share of a message's lifetime for which a hold must last to be why it expired. */
const SHARE_OF_LIFE = 0.5;
/** Messages are found expired within this time after their end. */
const FOUND_WITHIN_MS = 5 * SECOND_MS;

interface Lifetime {
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Finds the hold that made a message expire: the longest one in its lifetime. */
export function holdUntilEnd(holds: readonly Hold[], { createdAt, expiresAt }: Lifetime): Hold | undefined {
  const inLife = (hold: Hold): number =>
    Math.min(hold.until ?? expiresAt, expiresAt) - Math.max(hold.since, createdAt);
  const coversEnd = ({ until }: Hold): boolean => until === null || until >= expiresAt - FOUND_WITHIN_MS;
  return holds
    .filter((hold) => inLife(hold) > 0)
    .filter((hold) => coversEnd(hold) || inLife(hold) >= (expiresAt - createdAt) * SHARE_OF_LIFE)
    .toSorted((one, other) => inLife(other) - inLife(one))[0];
}

/**
 * Lists the holds of a message from its acceptance until a moment: of all of its gateways, or of all
 * messages.
 *
 * @param until - of a message that is not queued, in milliseconds since 1970 UTC
 */
export function holdsDuring(
  { routes, holds }: Holds,
  message: DeliveryRecord,
  until: number,
  now: number,
): readonly Hold[] {
  const { channel, createdAt, state } = message;
  const end = state === 'queued' ? now : until;
  const gateways = gatewaysFor(routes, message);
  return holds
    .filter((hold) => hold.channel === null || hold.channel === channel)
    .filter(({ gateway }) => gateway === null || gateways.includes(gateway))
    .filter((hold) => hold.since < end && (hold.until ?? now) > createdAt);
}

/** Names what keeps a queued message from being sent, by itself or with its channel. */
export type Waiting =
  | { readonly kind: 'hold'; readonly hold: Hold }
  /** Its next attempt is later. */
  | { readonly kind: 'quiet hours' | 'retry' | 'data'; readonly until: number }
  | { readonly kind: 'due' };

/** Returns what keeps a queued message from being sent now. @param now - milliseconds since 1970 UTC */
export function waitingFor(message: DeliveryRecord, holds: Holds, now: number): Waiting {
  const { attempts, reason, nextAttemptAt, channel } = message;
  const hold = holdNow(holds, message);
  const isDue = nextAttemptAt <= now;
  if (hold !== undefined && (isDue || hold.cause === 'worker')) return { kind: 'hold', hold };
  if (isDue) return { kind: 'due' };
  if (channel === 'mark' && reason !== null) return { kind: 'data', until: nextAttemptAt };
  if (attempts === 0) return { kind: 'quiet hours', until: nextAttemptAt };
  // Its retry would find the same.
  return hold === undefined || hold.cause === 'rate'
    ? { kind: 'retry', until: nextAttemptAt }
    : { kind: 'hold', hold };
}

/** Returns advice on a hold, in sentences. */
export function adviceOnHold({ cause, gateway, reason, since }: Hold): readonly ReasonText[] {
  return adviceOnReason({ code: 'expired', held: { cause, gateway, reason, since } });
}

/** Sentences about a hold; `{who}`, `{answer}`, `{since}` and `{until}` are filled in. */
const TEXTS = {
  account: {
    now: '{who} refuses the account ({answer}) since {since}',
    over: '{who} refused the account ({answer}), {since} to {until}',
  },
  failing: {
    now: '{who} has been failing ({answer}) since {since}',
    over: '{who} was failing ({answer}), {since} to {until}',
  },
  pause: {
    now: '{who} asked for a pause ({answer}) at {since}',
    over: '{who} asked for a pause ({answer}), {since} to {until}',
  },
  rate: {
    now: '{who} has been accepting fewer messages than are waiting since {since}',
    over: '{who} accepted fewer messages than were waiting, {since} to {until}',
  },
  worker: {
    now: 'no worker has been running since {since}',
    over: 'no worker was running, {since} to {until}',
  },
  database: {
    now: 'the database has not responded since {since}',
    over: 'the database was not responding, {since} to {until}',
  },
} as const satisfies Readonly<Record<HoldCause, { readonly now: string; readonly over: string }>>;

/** A text about holds; features translate all of them. */
export type HoldText = (typeof TEXTS)[HoldCause]['now' | 'over'];

/** Describes a hold with its times. @param clock - formats a time in milliseconds since 1970 UTC */
export function holdSentence(hold: Hold, clock: (time: number) => string): Sentence<HoldText | ReasonText> {
  const { cause, gateway, reason, since, until } = hold;
  return {
    text: TEXTS[cause][until === null ? 'now' : 'over'],
    values: {
      who: gateway ?? '',
      answer: briefAnswer(reason),
      since: clock(since),
      until: until === null ? '' : clock(until),
    },
  };
}

/** A hold that was shorter than this explains nothing, and is not kept. */
export const SHORT_HOLD_MS = 10 * SECOND_MS;
