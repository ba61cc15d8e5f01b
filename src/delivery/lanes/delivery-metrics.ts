import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import {
  type Backlog,
  hasProvider,
  MESSAGE_CHANNELS,
  type MessageChannel,
  type MessageState,
  PROVIDER_CHANNELS,
  type ProviderChannel,
  SENT_BOUNDS,
} from '../../store';
import { singleFlight } from '../../telemetry';
import type { Outcome } from '../outcome';
import type { Clock } from '../time';

/** What messages that a provider takes can end as, and requests that become push messages. */
const ENDS_OF_MESSAGES: readonly EndedState[] = ['sent', 'failed', 'expired', 'suppressed'];
const ENDS_OF_REQUESTS: readonly EndedState[] = ['sent', 'partly', 'failed', 'expired', 'suppressed'];

type EndedState = Exclude<MessageState, 'queued' | 'sending' | 'open'>;

/** The delivery's part of /metrics. */
export class DeliveryMetrics {
  readonly #settled: Counter<'channel' | 'state'>;
  readonly #attempts: Counter<'channel' | 'outcome'>;
  readonly #ages: Histogram<'channel'>;
  readonly #circuits: Gauge<'channel'>;
  readonly #transports: Gauge<'channel' | 'transport'>;

  /** @param readBacklog - what is queued; asked whenever the metrics are read */
  constructor(registry: Registry, readBacklog: () => Promise<readonly Backlog[]>, now: Clock) {
    const registers = [registry];
    this.#settled = new Counter({
      name: 'delivery_messages_total',
      help: 'Messages that this process brought to an end, by channel and state (sent, partly, failed, expired, suppressed).',
      labelNames: ['channel', 'state'],
      registers,
    });
    this.#attempts = new Counter({
      name: 'delivery_attempts_total',
      help: 'Attempts to deliver, by channel and outcome.',
      labelNames: ['channel', 'outcome'],
      registers,
    });
    this.#ages = new Histogram({
      name: 'delivery_seconds',
      help: 'Time from the acceptance of a message until it was sent.',
      labelNames: ['channel'],
      buckets: [...SENT_BOUNDS],
      registers,
    });
    this.#circuits = new Gauge({
      name: 'delivery_circuit_open',
      help: '1 while a provider that does not work is left alone.',
      labelNames: ['channel'],
      registers,
    });

    this.#transports = new Gauge({
      name: 'delivery_transport_info',
      help: '1, with how the messages of a channel leave (file, http, fcm) as a label.',
      labelNames: ['channel', 'transport'],
      aggregator: 'max',
      registers,
    });

    // Prometheus sees no growth of what was not there before, and the first that fail matter most.
    for (const channel of MESSAGE_CHANNELS)
      for (const state of hasProvider(channel) ? ENDS_OF_MESSAGES : ENDS_OF_REQUESTS)
        this.#settled.inc({ channel, state }, 0);
    for (const channel of PROVIDER_CHANNELS) this.#circuits.set({ channel }, 0);

    // Each gauge is read by itself, all at the same time: those of one reading share one look at the store.
    const shared = singleFlight(readBacklog);
    const gauge = (name: string, help: string, valueOf: (waiting: Backlog) => number): void => {
      const made = new Gauge({
        name,
        help,
        labelNames: ['channel'],
        registers,
        collect: async () => {
          const backlog = await shared().catch(() => undefined);
          for (const channel of MESSAGE_CHANNELS) {
            const waiting = backlog?.find((each) => each.channel === channel);
            // A store that does not answer has not an empty queue.
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
      'Age of the oldest queued message of all processes, by channel; 0 where nothing is queued.',
      ({ oldestCreatedAt }) => Math.max(0, now() - oldestCreatedAt) / 1000,
    );
  }

  countSettled(channel: MessageChannel, state: EndedState, ageMs: number): void {
    this.#settled.inc({ channel, state });
    if (state === 'sent') this.#ages.observe({ channel }, ageMs / 1000);
  }

  countAttempt(channel: MessageChannel, outcome: Outcome['kind']): void {
    this.#attempts.inc({ channel, outcome });
  }

  /** How each channel's messages are sent. */
  showTransports(names: Readonly<Record<ProviderChannel, string>>): void {
    for (const channel of PROVIDER_CHANNELS) this.#transports.set({ channel, transport: names[channel] }, 1);
  }

  showCircuit(channel: MessageChannel, open: boolean): void {
    this.#circuits.set({ channel }, open ? 1 : 0);
  }
}
