import { englishText } from '../../support/phrase';
import type { Logger } from 'pino';

import { type Config, proxyOptions, type Reloadable } from '../../config';
import type { Store } from '../../store';
import { readAlertsFile } from './alerts-file';
import { failureText, type Notification, openReceivers, type Receiver } from './receivers';
import { type Alert, SEVERITIES } from './rule';
import { MINUTE_MS } from '../../support/durations';

/** The node that notifies must look more often than this, or another one takes over. */
const LEASE_MS = MINUTE_MS;
/** An alert that is back within this time has not ended. */
const END_AFTER_MS = MINUTE_MS;
const REMIND_AFTER_MS = 4 * 60 * MINUTE_MS;
/** A receiver that does not accept is tried again after this time. */
const RETRY_AFTER_MS = MINUTE_MS;
/** The end of an alert is not worth sending after this time. */
const FORGET_AFTER_MS = 24 * 60 * MINUTE_MS;

/** The database's record of an alert. Times are milliseconds since 1970 UTC. */
interface Note extends Omit<Notification, 'event' | 'since' | 'node'> {
  /** Notifications wait until it has been active for this time. */
  readonly forMs: number;
  readonly since: number;
  readonly seenAt: number;
  /** By receiver, when it last got it. */
  readonly sent: Readonly<Record<string, number>>;
}

type Notes = Readonly<Record<string, Note>>;

interface AlertNotifierOptions {
  readonly store: { readonly alertNotes: Pick<Store['alertNotes'], 'take' | 'save'> };
  readonly node: string;
  readonly logger: Logger;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/**
 * Notifies the receivers of ALERTS_FILE: when an alert starts, every four hours while it is active, and when it ends.
 * The database keeps what was sent, and which node sends.
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
  readonly #retryAt = new Map<string, number>();

  /** @throws OperatorError when ALERTS_FILE cannot be used */
  constructor(config: Config, options: AlertNotifierOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.reload(config);
  }

  reload(config: Config): void {
    this.#receivers =
      config.ALERTS_FILE === undefined
        ? []
        : openReceivers(readAlertsFile(config.ALERTS_FILE), proxyOptions(config));
    this.#retryAt.clear();
  }

  /** Sends what is due, if this node is the one that notifies. It does not throw. */
  async notify(active: readonly Alert[]): Promise<void> {
    const now = this.#now();
    if (this.#receivers.length === 0 || !(await this.#take(now))) return;
    this.#notes = merged(this.#notes, active, now);
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
   * Takes or renews the lease. While the database does not answer, the last holder continues with what it remembers.
   */
  async #take(now: number): Promise<boolean> {
    const { store, node } = this.#options;
    try {
      const notes = await store.alertNotes.take(node, now, LEASE_MS);
      this.#isHolder = notes !== undefined;
      // Only this program writes the notes, from this type.
      if (notes !== undefined && !this.#isUnsaved) this.#notes = JSON.parse(notes || '{}') as Notes;
      else if (notes === undefined) this.#isUnsaved = false;
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

  /** Sends notifications one after the other: a failing receiver is retried later. */
  async #send({ name, severity, send }: Receiver, now: number): Promise<void> {
    const { node, logger } = this.#options;
    for (const [key, note] of Object.entries(this.#notes)) {
      if (SEVERITIES.indexOf(note.severity) > SEVERITIES.indexOf(severity)) continue;
      const event = eventFor(note, note.sent[name], now);
      if (event === undefined || (this.#retryAt.get(name) ?? 0) > now) continue;
      const { alert, severity: level, summary, description, advice, since } = note;
      const texts = { alert, severity: level, summary, description, advice, node };
      try {
        await send({ event, ...texts, since: new Date(since).toISOString() });
        this.#retryAt.delete(name);
        this.#mark(key, name, event === 'ended' ? undefined : now);
      } catch (error) {
        logger.warn({ receiver: name, alert, reason: failureText(error) }, 'an alert was not sent');
        this.#retryAt.set(name, now + RETRY_AFTER_MS);
      }
    }
  }

  #mark(key: string, receiver: string, sentAt: number | undefined): void {
    const note = this.#notes[key];
    if (note === undefined) return;
    const others = Object.entries(note.sent).filter(([name]) => name !== receiver);
    const sent = Object.fromEntries(sentAt === undefined ? others : [...others, [receiver, sentAt]]);
    this.#notes = { ...this.#notes, [key]: { ...note, sent } };
  }
}

/** @param sentAt - when it last got the alert */
function eventFor(
  { since, seenAt, forMs }: Note,
  sentAt: number | undefined,
  now: number,
): Notification['event'] | undefined {
  if (now - seenAt >= END_AFTER_MS) return sentAt === undefined ? undefined : 'ended';
  if (seenAt < now) return undefined;
  if (sentAt === undefined) return now - since >= forMs ? 'started' : undefined;
  return now - sentAt >= REMIND_AFTER_MS ? 'reminder' : undefined;
}

/** Returns the notes with the alerts that are active now. */
function merged(notes: Notes, active: readonly Alert[], now: number): Notes {
  const seen = active.map(({ key, rule, summary, description }): readonly [string, Note] => {
    const { since = now, sent = {} } = notes[key] ?? {};
    const { name: alert, severity, advice, forMinutes = 0 } = rule;
    const worded = { summary: englishText(summary), description: englishText(description) };
    const texts = { alert, severity, ...worded, advice };
    return [key, { ...texts, forMs: forMinutes * MINUTE_MS, since, seenAt: now, sent }];
  });
  return { ...notes, ...Object.fromEntries(seen) };
}

/** Returns the notes without ended alerts, once all of their receivers know or have been removed. */
function withoutEnded(notes: Notes, receivers: ReadonlySet<string>, now: number): Notes {
  return Object.fromEntries(
    Object.entries(notes).filter(([, { seenAt, sent }]) => {
      const isAwaited = Object.keys(sent).some((name) => receivers.has(name));
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
