import type { Request } from 'express';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';

import type { TraceContext } from '../../asmx';
import { agentFamily, loggedAddress, traceIdOf } from '../../telemetry';
import type { Mode } from './cutover';
import type { ForwardEnd, ForwardOutcome } from './forwarding';
import type { RecordOutcome } from './recorder';

/** Call of a request; undefined for unknown parts. */
export interface ForwardedCall {
  readonly operation: string | undefined;
  readonly binding: string | undefined;
  readonly mode: Mode;
}

/** Outcomes caused by the old server, or by the connection to it. */
const FAILURES: ReadonlySet<ForwardOutcome> = new Set(['unreachable', 'silent', 'broken']);

const INTERVAL_MS = 60_000;

/** Reports forwarded requests to log and metrics. */
export class ForwardingReport {
  readonly #logger: Logger;
  readonly #logClient: Parameters<typeof loggedAddress>[1];
  readonly #recorded: Counter<'outcome'>;
  #toldOfRecording = -Infinity;
  readonly #forwarded: Counter<'operation' | 'binding' | 'outcome'>;
  #oldServerAnswers: boolean | undefined;

  /**
   * @param logClient part of a caller's address that the log may contain
   * @param isNeeded returns true while the old server still answers some requests
   */
  constructor(
    logger: Logger,
    registry: Registry,
    logClient: Parameters<typeof loggedAddress>[1],
    isNeeded: () => boolean,
  ) {
    this.#logger = logger;
    this.#logClient = logClient;
    this.#forwarded = new Counter({
      name: 'service_forwarded_requests_total',
      help: 'Requests forwarded to the old server, by operation, binding and outcome (answered, unreachable, silent, broken, gone, unsendable).',
      labelNames: ['operation', 'binding', 'outcome'],
      registers: [registry],
    });
    const isAnswering = (): boolean | undefined => (isNeeded() ? this.#oldServerAnswers : undefined);
    new Gauge({
      name: 'service_old_server_answers',
      help: '1 if the old server answered the last forwarded request, 0 if not; absent before the first one, and once the old server is not needed.',
      // A gauge without labels is 0 from the start.
      labelNames: ['server'],
      aggregator: 'min',
      registers: [registry],
      collect() {
        this.reset();
        const answers = isAnswering();
        if (answers !== undefined) this.set({ server: 'old' }, answers ? 1 : 0);
      },
    });
    this.#recorded = new Counter({
      name: 'service_recorded_requests_total',
      help: 'Requests for RECORD_FILE, by outcome (recorded, dropped, too_large).',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /** Counts requests that should be recorded. */
  noteRecorded(outcome: RecordOutcome, requests: number): void {
    this.#recorded.inc({ outcome }, requests);
  }

  /** Logs why nothing is recorded: at once, and then at most once a minute. */
  noteUnrecorded(error: string): void {
    const now = performance.now();
    if (now - this.#toldOfRecording < INTERVAL_MS) return;
    this.#toldOfRecording = now;
    this.#logger.error({ error }, 'cannot record requests (RECORD_FILE)');
  }

  /** Writes a log line, and counts the request. */
  note(
    { operation, binding, mode }: ForwardedCall,
    request: Request,
    end: ForwardEnd,
    durationMs: number,
    trace: TraceContext | undefined,
  ): void {
    const { outcome, status, error } = end;
    this.#forwarded.inc({ operation: operation ?? 'none', binding: binding ?? 'none', outcome });
    if (FAILURES.has(outcome)) this.#oldServerAnswers = false;
    else if (outcome === 'answered') this.#oldServerAnswers = true;
    const fields = {
      operation,
      binding,
      mode,
      client: loggedAddress(request, this.#logClient),
      agent: agentFamily(request.headers['user-agent']),
      status,
      outcome,
      error,
      durationMs: Math.round(durationMs * 1000) / 1000,
      traceId: trace && traceIdOf(trace),
    };
    this.#logger[FAILURES.has(outcome) ? 'error' : 'info'](fields, 'forwarded');
  }
}
