import { englishText } from '../../support/phrase';
import type { Logger } from 'pino';

import type { Config, Reloadable } from '../../config';
import type { Store } from '../../store';
import { readAlertsFile } from './alerts-file';
import {
  failureText,
  NotAccepted,
  type Notification,
  openReceivers,
  type Receipt,
  type Receiver,
} from './receivers';
import { type Alert, SEVERITIES } from '../../admin/alerts/rule';
import { MINUTE_MS } from '../../support/durations';
import { counted } from '../../support/text';

/** The node that notifies must look more often than this, or another one takes over. */
const LEASE_MS = MINUTE_MS;
/** An alert that is back within this time has not ended. */
const END_AFTER_MS = MINUTE_MS;
const REMIND_AFTER_MS = 4 * 60 * MINUTE_MS;
/**
 * Messages that a receiver does not accept are sent again after this time; so are all if it cannot be
 * reached.
 */
const RETRY_AFTER_MS = MINUTE_MS;
/** Slow receivers get the rest at the next look: the lease must not run out. */
const ROUND_MS = LEASE_MS / 3;
/** The end of an alert is not worth sending after this time. */
const FORGET_AFTER_MS = 24 * 60 * MINUTE_MS;

/** The database's record of an alert. Times are milliseconds since 1970 UTC. */
interface Note extends Omit<Notification, 'event' | 'since' | 'node'> {
  /** Notifications wait until it has been active for this time. */
  readonly forMs: number;
  /** True while another alert explains it: then it is not sent. */
  readonly isExplained?: boolean;
  readonly since: number;
  readonly seenAt: number;
  /** Path of the console's page with more. */
  readonly page: string;
  /** By receiver, when it last got it. */
  readonly sent: Readonly<Record<string, number>>;
  /** By receiver, the addresses whose mail server takes it later, with what they get then. */
  readonly late: Readonly<Record<string, Late>>;
}

interface Late {
  readonly event: Notification['event'];
  readonly to: readonly string[];
}

type Notes = Readonly<Record<string, Note>>;

interface AlertNotifierOptions {
  readonly store: {
    readonly alertNotes: Pick<Store['alertNotes'], 'take' | 'save'>;
    readonly schools: Pick<Store['schools'], 'overview'>;
  };
  readonly node: string;
  readonly logger: Logger;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/**
 * Notifies the receivers of ALERTS_FILE: when an alert starts, every four hours while it is active, and when
 * it ends. The database keeps what was sent, and which node sends.
 */
export class AlertNotifier implements Reloadable {
  readonly settings = ['ALERTS_FILE'] as const;
  readonly #options: AlertNotifierOptions;
  readonly #now: () => number;
  #receivers: readonly Receiver[] = [];
  #notes: Notes = {};
  #isHolder = false;
  /** True while the database lacks something that this node remembers. */
  #isUnsaved = false;
  /** By receiver and alert, or by receiver alone if it cannot be reached, when to try again. */
  readonly #retryAt = new Map<string, number>();
  #school = '';

  /** @throws OperatorError when ALERTS_FILE cannot be used */
  constructor(config: Config, options: AlertNotifierOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.reload(config);
  }

  reload(config: Config): void {
    this.#receivers =
      config.ALERTS_FILE === undefined ? [] : openReceivers(readAlertsFile(config.ALERTS_FILE), config);
    this.#retryAt.clear();
  }

  /** Sends what is due, if this node is the one that notifies. It does not throw. */
  async notify(active: readonly Alert[]): Promise<void> {
    const now = this.#now();
    if (this.#receivers.length === 0 || !(await this.#take(now))) return;
    for (const [what, at] of this.#retryAt) if (at <= now) this.#retryAt.delete(what);
    this.#notes = merged(ofThePast(this.#notes, now), active, now);
    await Promise.all(this.#receivers.map((receiver) => this.#send(receiver, now)));
    this.#notes = withoutEnded(this.#notes, new Set(this.#receivers.map(({ name }) => name)), now);
    await this.#save(this.#now() + LEASE_MS);
  }

  /** Lets another node notify. */
  async stop(): Promise<void> {
    if (this.#isHolder) await this.#save(this.#now() - 1);
    this.#isHolder = false;
  }

  /**
   * Takes or renews the lease. While the database does not answer, the last holder continues with what it
   * remembers.
   */
  async #take(now: number): Promise<boolean> {
    const { store, node } = this.#options;
    try {
      const notes = await store.alertNotes.take(node, now, LEASE_MS);
      this.#isHolder = notes !== undefined;
      // Only this program writes the notes, from this type.
      if (notes !== undefined && !this.#isUnsaved) this.#notes = JSON.parse(notes || '{}') as Notes;
      else if (notes === undefined) this.#isUnsaved = false;
      if (notes !== undefined) this.#school = await schoolName(store);
    } catch {
      // The alert ServiceNotReady reports this.
    }
    return this.#isHolder;
  }

  async #save(leaseUntil: number): Promise<void> {
    const { store, node } = this.#options;
    try {
      await store.alertNotes.save(node, leaseUntil, JSON.stringify(this.#notes));
      this.#isUnsaved = false;
    } catch {
      this.#isUnsaved = true;
    }
  }

  /**
   * Sends what is due to a receiver, the most severe first; what it does not accept holds up nothing else.
   */
  async #send(receiver: Receiver, now: number): Promise<void> {
    const { name, severity } = receiver;
    const begun = performance.now();
    const due = Object.entries(this.#notes)
      .filter(([, note]) => SEVERITIES.indexOf(note.severity) <= SEVERITIES.indexOf(severity))
      .toSorted(
        ([, one], [, other]) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
      );
    for (const [key, note] of due) {
      if (this.#mustWait(name, now) || performance.now() - begun > ROUND_MS) return;
      const event = eventFor(note, note.sent[name], now);
      const late = note.late[name];
      if (this.#mustWait(`${name} ${key}`, now)) continue;
      if (event !== undefined) await this.#deliver(receiver, key, note, { event, to: undefined }, now);
      else if (late !== undefined) await this.#deliver(receiver, key, note, late, now);
    }
  }

  /** Sends a notification to all addresses of a receiver, or to those that get it late. It does not throw. */
  async #deliver(
    { name, send }: Receiver,
    key: string,
    note: Note,
    { event, to }: { readonly event: Notification['event']; readonly to: readonly string[] | undefined },
    now: number,
  ): Promise<void> {
    const { node, logger } = this.#options;
    const { alert, severity, summary, description, advice, since, page } = note;
    const texts = { alert, severity, summary, description, advice, node };
    try {
      const notification = { event, ...texts, since: new Date(since).toISOString() };
      const { refused } = await send(notification, { school: this.#school, page, to });
      for (const { address, reason } of refused)
        logger.warn({ receiver: name, alert, address, reason }, 'an alert was not sent to an address');
      if (refused.some(({ isTemporary }) => isTemporary))
        this.#retryAt.set(`${name} ${key}`, now + RETRY_AFTER_MS);
      this.#mark(key, name, to !== undefined ? note.sent[name] : event === 'ended' ? undefined : now, {
        event,
        refused,
      });
    } catch (error) {
      logger.warn({ receiver: name, alert, reason: failureText(error) }, 'an alert was not sent');
      const what = error instanceof NotAccepted ? `${name} ${key}` : name;
      this.#retryAt.set(what, now + RETRY_AFTER_MS);
    }
  }

  #mustWait(what: string, now: number): boolean {
    const at = this.#retryAt.get(what) ?? 0;
    // A time further away is of a clock that has been set back since.
    return at > now && at <= now + RETRY_AFTER_MS;
  }

  /** @param sentAt - when it last got the alert; undefined if it knows that the alert has ended */
  #mark(
    key: string,
    receiver: string,
    sentAt: number | undefined,
    { event, refused }: Pick<Late, 'event'> & Pick<Receipt, 'refused'>,
  ): void {
    const note = this.#notes[key];
    if (note === undefined) return;
    const to = refused.filter(({ isTemporary }) => isTemporary).map(({ address }) => address);
    const sent = withEntry(note.sent, receiver, sentAt);
    const late = withEntry(note.late, receiver, to.length === 0 ? undefined : { event, to });
    this.#notes = { ...this.#notes, [key]: { ...note, sent, late } };
  }
}

/** Returns a record with another value for a name, or without the name. */
function withEntry<T>(
  record: Readonly<Record<string, T>>,
  name: string,
  value: T | undefined,
): Readonly<Record<string, T>> {
  const others = Object.entries(record).filter(([each]) => each !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

/** Returns the name of the only school, or the number of schools; empty without any. */
export async function schoolName({
  schools,
}: {
  readonly schools: Pick<Store['schools'], 'overview'>;
}): Promise<string> {
  const { schools: count, name } = await schools.overview();
  return count > 1 ? counted(count, 'school') : name;
}

/** @param sentAt - when it last got the alert */
function eventFor(
  { since, seenAt, forMs, isExplained }: Note,
  sentAt: number | undefined,
  now: number,
): Notification['event'] | undefined {
  if (now - seenAt >= END_AFTER_MS) return sentAt === undefined ? undefined : 'ended';
  if (seenAt < now || isExplained === true) return undefined;
  if (sentAt === undefined) return now - since >= forMs ? 'started' : undefined;
  return now - sentAt >= REMIND_AFTER_MS ? 'reminder' : undefined;
}

/** Returns the notes without times to come, which are of a clock that has been set back since. */
function ofThePast(notes: Notes, now: number): Notes {
  const past = (time: number): number => Math.min(time, now);
  return Object.fromEntries(
    Object.entries(notes).map(([key, note]) => {
      const sent = Object.fromEntries(Object.entries(note.sent).map(([name, at]) => [name, past(at)]));
      return [key, { ...note, since: past(note.since), seenAt: past(note.seenAt), sent }];
    }),
  );
}

/** Returns the notes with the alerts that are active now. */
function merged(notes: Notes, active: readonly Alert[], now: number): Notes {
  // The receivers get the cause; an alert that they have got already goes on until it ends.
  const noted = active.filter(
    ({ key, cause, rule }) => rule.isNotice !== true && (cause === undefined || notes[key] !== undefined),
  );
  const seen = noted.map(({ key, rule, summary, description, advice, cause }): readonly [string, Note] => {
    const { since = now, sent = {}, late = {} } = notes[key] ?? {};
    const { name: alert, severity, forMinutes = 0, link: [page] = ['/'] } = rule;
    const worded = { summary: englishText(summary), description: englishText(description) };
    const texts = { alert, severity, ...worded, advice: advice.join(' '), page };
    const isExplained = cause !== undefined;
    return [key, { ...texts, forMs: forMinutes * MINUTE_MS, isExplained, since, seenAt: now, sent, late }];
  });
  return { ...notes, ...Object.fromEntries(seen) };
}

/** Returns the notes without ended alerts, once all of their receivers know or have been removed. */
function withoutEnded(notes: Notes, receivers: ReadonlySet<string>, now: number): Notes {
  return Object.fromEntries(
    Object.entries(notes).filter(([, { seenAt, sent, late }]) => {
      const isAwaited = [sent, late].flatMap(Object.keys).some((name) => receivers.has(name));
      return now - seenAt < (isAwaited ? FORGET_AFTER_MS : END_AFTER_MS);
    }),
  );
}

export function testNotification(node: string): Notification {
  return {
    ...{ event: 'test', alert: 'Test', severity: 'info', node, since: new Date().toISOString() },
    summary: 'This is a test of the alerts',
    description: 'Nothing is wrong: an operator ran the command alerts test.',
    advice: 'No action is needed.',
  };
}
