import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import {
  type Backlog,
  type ClaimedMessage,
  ENDED_STATES,
  type EndedState,
  type Erasure,
  hasGone,
  hasProvider,
  MESSAGE_CHANNELS,
  type MessageChannel,
  PROVIDER_CHANNELS,
  type ProviderChannel,
  type PushCount,
  reasonFields,
  type RequestEnd,
  SENT_BOUNDS,
  type Settlement,
} from '../../store';
import { singleFlight } from '../../support/single-flight';
import { readTraceId } from '../../telemetry';
import type { Clock } from '../clock';
import type { Outcome } from '../outcome';
import type { CircuitCause } from '../senders/circuit-breaker';

/** Final states of messages for a provider; `partly` is one of requests that become push messages. */
const ENDS_OF_MESSAGES = ENDED_STATES.filter((state) => state !== 'partly');

/** Publishes the queues of all processes. */
function watchBacklog(registry: Registry, readBacklog: () => Promise<readonly Backlog[]>, now: Clock): void {
  // Each gauge is read by itself, all concurrently: they share one query of the store.
  const shared = singleFlight(readBacklog);
  const gauge = (name: string, help: string, valueOf: (waiting: Backlog) => number): void => {
    const made = new Gauge({
      name,
      help,
      labelNames: ['channel'],
      registers: [registry],
      collect: async () => {
        const backlog = await shared().catch(() => undefined);
        for (const channel of MESSAGE_CHANNELS) {
          const waiting = backlog?.find((each) => each.channel === channel);
          // A store that does not answer must not look like an empty queue.
          const none = backlog === undefined ? Number.NaN : 0;
          made.set({ channel }, waiting === undefined ? none : valueOf(waiting));
        }
      },
    });
  };
  gauge(
    'delivery_queued_messages',
    'Queued messages of all processes, by channel.',
    ({ messages }) => messages,
  );
  gauge(
    'delivery_oldest_queued_seconds',
    'Age of the oldest queued message of all processes, by channel; 0 if none is queued.',
    ({ oldestCreatedAt }) => Math.max(0, now() - oldestCreatedAt) / 1000,
  );
  gauge(
    'delivery_oldest_due_seconds',
    'How long the first queued message has been due, by channel; 0 where none is due.',
    ({ oldestDueAt }) => Math.max(0, now() - oldestDueAt) / 1000,
  );
}

export class DeliveryMetrics {
  readonly #settled: Counter<'channel' | 'state'>;
  readonly #attempts: Counter<'channel' | 'outcome' | 'gateway'>;
  readonly #ages: Histogram<'channel'>;
  readonly #circuits: Gauge<'channel'>;
  readonly #stopped: Gauge<'channel'>;
  readonly #transports: Gauge<'channel' | 'transport'>;

  /** @param readBacklog - reads the queues whenever the metrics are read */
  constructor(registry: Registry, readBacklog: () => Promise<readonly Backlog[]>, now: Clock) {
    const registers = [registry];
    this.#settled = new Counter({
      name: 'delivery_messages_total',
      help: 'Messages that reached a final state in this process, by channel and state (sent, partly, failed, expired, suppressed).',
      labelNames: ['channel', 'state'],
      registers,
    });
    this.#attempts = new Counter({
      name: 'delivery_attempts_total',
      help: 'Delivery attempts, by channel, outcome and gateway (also file and fcm; empty if no gateway was called).',
      labelNames: ['channel', 'outcome', 'gateway'],
      registers,
    });
    this.#ages = new Histogram({
      name: 'delivery_seconds',
      help: 'Time from acceptance of a message until it was sent.',
      labelNames: ['channel'],
      buckets: [...SENT_BOUNDS],
      registers,
    });
    this.#circuits = new Gauge({
      name: 'delivery_circuit_open',
      help: '1 while the circuit to a failing provider is open.',
      labelNames: ['channel'],
      registers,
    });

    this.#stopped = new Gauge({
      name: 'delivery_provider_stopped',
      help: '1 while a provider refuses the account (no credit, wrong credentials).',
      labelNames: ['channel'],
      registers,
    });
    this.#transports = new Gauge({
      name: 'delivery_transport_info',
      help: 'Always 1; the label is the transport of the channel (file, http, fcm).',
      labelNames: ['channel', 'transport'],
      aggregator: 'max',
      registers,
    });

    // Prometheus sees no increase from a missing series, and the first failures matter most.
    for (const channel of MESSAGE_CHANNELS)
      for (const state of hasProvider(channel) ? ENDS_OF_MESSAGES : ENDED_STATES)
        this.#settled.inc({ channel, state }, 0);
    for (const channel of PROVIDER_CHANNELS) this.showCircuit(channel, undefined);

    watchBacklog(registry, readBacklog, now);
  }

  countSettled(channel: MessageChannel, state: EndedState, ageMs: number): void {
    this.#settled.inc({ channel, state });
    if (state === 'sent') this.#ages.observe({ channel }, ageMs / 1000);
  }

  countAttempt(channel: MessageChannel, outcome: Outcome['kind'], gateway: string): void {
    this.#attempts.inc({ channel, outcome, gateway });
  }

  showTransports(names: Readonly<Record<ProviderChannel, string>>): void {
    for (const channel of PROVIDER_CHANNELS) this.#transports.set({ channel, transport: names[channel] }, 1);
    // The first ones matter most, as above.
    this.#attempts.inc({ channel: 'push', outcome: 'foreign-token', gateway: names.push }, 0);
  }

  showCircuit(channel: MessageChannel, cause: CircuitCause | undefined): void {
    this.#circuits.set({ channel }, cause === undefined ? 0 : 1);
    this.#stopped.set({ channel }, cause === 'stopped' ? 1 : 0);
  }
}

const LEVELS = {
  sent: 'info',
  written: 'info',
  queued: 'info',
  open: 'info',
  suppressed: 'info',
  expired: 'warn',
  failed: 'warn',
} as const satisfies Record<Settlement['state'], string>;

/** Maximum number of reasons in a log line. */
const MAX_REASONS = 5;

/** A persistent failure of the store is logged once in this time, in milliseconds. */
const STORE_QUIET_MS = 10_000;

/** Log and metrics of the delivery. Neither contains a phone, a token, a code or a name. */
export class DeliveryLog {
  readonly #logger: Logger;
  readonly #metrics: DeliveryMetrics;
  #storeFailedAt = Number.NEGATIVE_INFINITY;

  constructor(logger: Logger, metrics: DeliveryMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  transports(names: Readonly<Record<ProviderChannel, string>>): void {
    this.#metrics.showTransports(names);
    this.#logger.info(names, 'delivery started');
  }

  settled(channel: MessageChannel, message: ClaimedMessage, outcome: Outcome, settled: Settlement): void {
    const { state, now } = settled;
    if (outcome.kind !== 'expired')
      this.#metrics.countAttempt(channel, outcome.kind, settled.attempt?.provider ?? '');
    if (state !== 'queued' && state !== 'open')
      this.#metrics.countSettled(channel, state, now - message.createdAt);
    this.#logger[LEVELS[state]](
      {
        messageId: message.id,
        traceId: message.trace && readTraceId(message.trace),
        channel,
        state,
        // The claim counted an attempt; the end of a lifetime is none.
        attempt: message.attempts - (outcome.kind === 'expired' ? 1 : 0),
        outcome: outcome.kind,
        ...reasonFields(settled.reason),
        providerId: settled.providerId ?? undefined,
        parts: outcome.kind === 'sent' ? outcome.parts : undefined,
        waitMs: state === 'queued' ? Math.max(0, settled.nextAttemptAt - now) : undefined,
        ageMs: now - message.createdAt,
      },
      'message',
    );
  }

  /** Logs the end of a request with the numbers of its push messages, and their most frequent reasons. */
  requestEnded({ id, state, counts, withoutDevice, createdAt }: RequestEnd, now: number): void {
    const pushes = (of: (count: PushCount) => boolean): number =>
      counts.filter(of).reduce((sum, { messages }) => sum + messages, 0);
    this.#metrics.countSettled('mark', state, now - createdAt);
    this.#logger[hasGone(state) ? 'info' : 'warn'](
      {
        messageId: id,
        state,
        pushes: pushes(() => true),
        ...Object.fromEntries(ENDS_OF_MESSAGES.map((end) => [end, pushes((count) => count.state === end)])),
        withoutDevice,
        reasons: counts
          .filter(({ state: end }) => !hasGone(end))
          .slice(0, MAX_REASONS)
          .map(({ reason, ...count }) => ({ ...count, ...reasonFields(reason) })),
        ageMs: now - createdAt,
      },
      'mark request',
    );
  }

  leaseLost(channel: MessageChannel, messageId: string): void {
    this.#logger.warn({ messageId, channel }, 'lease expired, message taken by another worker');
  }

  requeued(messages: number): void {
    this.#logger.warn({ messages }, 'requeued messages of a dead worker');
  }

  handedBack(messages: number): void {
    this.#logger.info({ messages }, 'released unsent messages');
  }

  oldRemoved(messages: number): void {
    this.#logger.info({ messages }, 'removed messages older than KEEP_MESSAGES_DAYS');
  }

  /** Logs a removal by a command, which has no log of its own. */
  erased({ command, removed, at }: Erasure): void {
    this.#logger.info({ command, removed, at: new Date(at).toISOString() }, 'a command deleted data');
  }

  /** Logs a failure of the store at intervals: every channel worker queries it several times a second. */
  storeFailed(what: string, error: unknown): void {
    const now = performance.now();
    if (now - this.#storeFailedAt < STORE_QUIET_MS) return;
    this.#storeFailedAt = now;
    this.#logger.error({ err: error, channel: what }, 'store unavailable, delivery paused');
  }

  failed(channel: MessageChannel, messageId: string, error: unknown): void {
    this.#logger.error({ err: error, messageId, channel }, 'message processing failed');
  }

  circuit(channel: MessageChannel, provider: string, cause: CircuitCause | undefined): void {
    this.#metrics.showCircuit(channel, cause);
    if (cause === 'stopped') {
      this.#logger.error(
        { channel, provider },
        'gateway refuses the account, sending paused; retried once a minute',
      );
    } else if (cause === 'failing') {
      this.#logger.warn({ channel, provider }, 'provider failing, circuit opened');
    } else this.#logger.info({ channel, provider }, 'provider works again, circuit closed');
  }
}
