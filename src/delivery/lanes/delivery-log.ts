import type { Logger } from 'pino';

import {
  type ClaimedMessage,
  type Erasure,
  type MessageChannel,
  type MessageState,
  type ProviderChannel,
  type PushCount,
  type RequestEnd,
  type Settlement,
} from '../../store';
import { traceIdOf } from '../../telemetry';
import type { Outcome } from '../outcome';
import type { DeliveryMetrics } from './delivery-metrics';

/** Level of a message's line by the state that it has reached. */
const LEVELS = {
  sent: 'info',
  queued: 'info',
  open: 'info',
  suppressed: 'info',
  expired: 'warn',
  failed: 'warn',
} as const satisfies Record<Settlement['state'], string>;

/** What push messages end as. */
const PUSH_ENDS = ['sent', 'failed', 'expired', 'suppressed'] as const satisfies readonly MessageState[];

/** Reasons that a line names. */
const MOST_REASONS = 5;

/** A store that keeps failing is logged once in this time, in milliseconds. */
const STORE_QUIET_MS = 10_000;

/** What the log and the metrics are told. Neither holds a phone, a token, a code or a name. */
export class DeliveryLog {
  readonly #logger: Logger;
  readonly #metrics: DeliveryMetrics;
  #storeFailedAt = Number.NEGATIVE_INFINITY;

  constructor(logger: Logger, metrics: DeliveryMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /** How each channel's messages are sent. */
  transports(names: Readonly<Record<ProviderChannel, string>>): void {
    this.#metrics.showTransports(names);
    this.#logger.info(names, 'delivering messages');
  }

  settled(channel: MessageChannel, message: ClaimedMessage, outcome: Outcome, settled: Settlement): void {
    const { state, now } = settled;
    this.#metrics.countAttempt(channel, outcome.kind);
    if (state !== 'queued' && state !== 'open')
      this.#metrics.countSettled(channel, state, now - message.createdAt);
    this.#logger[LEVELS[state]](
      {
        messageId: message.id,
        traceId: message.trace && traceIdOf(message.trace),
        channel,
        state,
        attempt: message.attempts,
        outcome: outcome.kind,
        reason: settled.reason ?? undefined,
        providerId: settled.providerId ?? undefined,
        parts: outcome.kind === 'sent' ? outcome.parts : undefined,
        waitMs: state === 'queued' ? settled.nextAttemptAt - now : undefined,
        ageMs: now - message.createdAt,
      },
      'message',
    );
  }

  /** What became of a request and its push messages, for the commonest reasons. */
  requestEnded({ id, state, counts, withoutDevice, createdAt }: RequestEnd, now: number): void {
    const pushes = (of: (count: PushCount) => boolean): number =>
      counts.filter(of).reduce((sum, { messages }) => sum + messages, 0);
    this.#metrics.countSettled('mark', state, now - createdAt);
    this.#logger[state === 'sent' ? 'info' : 'warn'](
      {
        messageId: id,
        state,
        pushes: pushes(() => true),
        ...Object.fromEntries(PUSH_ENDS.map((end) => [end, pushes((count) => count.state === end)])),
        withoutDevice,
        reasons: counts.filter(({ state: end }) => end !== 'sent').slice(0, MOST_REASONS),
        ageMs: now - createdAt,
      },
      'mark request',
    );
  }

  leaseLost(channel: MessageChannel, messageId: string): void {
    this.#logger.warn({ messageId, channel }, 'another worker has the message: its lease had run out');
  }

  requeued(messages: number): void {
    this.#logger.warn({ messages }, 'messages of a worker that did not come back are queued again');
  }

  handedBack(messages: number): void {
    this.#logger.info({ messages }, 'messages that were not sent yet are handed back');
  }

  oldRemoved(messages: number): void {
    this.#logger.info({ messages }, 'messages that ended longer ago than KEEP_MESSAGES_DAYS are removed');
  }

  /** By a command, which has no log of its own. */
  erased({ command, removed, at }: Erasure): void {
    this.#logger.info({ command, removed, at: new Date(at).toISOString() }, 'a command took data out');
  }

  /** Once in a while: every lane asks the store several times a second. */
  storeFailed(what: string, error: unknown): void {
    const now = performance.now();
    if (now - this.#storeFailedAt < STORE_QUIET_MS) return;
    this.#storeFailedAt = now;
    this.#logger.error({ err: error, channel: what }, 'the delivery waits for the store');
  }

  failed(channel: MessageChannel, messageId: string, error: unknown): void {
    this.#logger.error({ err: error, messageId, channel }, 'a message could not be handled');
  }

  circuit(channel: MessageChannel, provider: string, open: boolean): void {
    this.#metrics.showCircuit(channel, open);
    if (open) {
      this.#logger.warn({ channel, provider }, 'the provider does not work: it is left alone for a while');
    } else this.#logger.info({ channel, provider }, 'the provider works again');
  }
}
