import type { Request } from 'express';
import type { Logger } from 'pino';
import { Counter, Gauge } from 'prom-client';

import type { TraceContext } from '../../../asmx/internal';
import { writeAdvice } from '../../../support/replace-file';
import { agentFamily, loggedAddress, type Metrics, readTraceId } from '../../../telemetry';
import { fails, type Verdict } from '../verdict/verdict';
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

export class ForwardingReport {
  readonly #logger: Logger;
  readonly #logClient: Parameters<typeof loggedAddress>[1];
  readonly #recorded: Counter<'outcome'>;
  #toldOfRecording = -Infinity;
  readonly #metrics: Pick<Metrics, 'countForwarded' | 'countCompared'>;
  /** How the last request or probe ended; undefined before the first one. */
  #lastEnd: ForwardOutcome | undefined;

  /**
   * @param logClient part of a caller's address that the log may contain
   * @param isNeeded returns true while the old server still answers some requests
   */
  constructor(
    logger: Logger,
    metrics: Pick<Metrics, 'registry' | 'countForwarded' | 'countCompared' | 'watchForwarding'>,
    logClient: Parameters<typeof loggedAddress>[1],
    isNeeded: () => boolean,
  ) {
    this.#logger = logger;
    this.#logClient = logClient;
    this.#metrics = metrics;
    metrics.watchForwarding();
    const registers = [metrics.registry];
    const lastEnd = (): ForwardOutcome | undefined => (isNeeded() ? this.#lastEnd : undefined);
    new Gauge({
      name: 'service_old_server_answers',
      help: '1 if the old server answered the last forwarded request or accepted a connection since, 0 if not; absent once the old server is not needed.',
      // A gauge without labels is 0 from the start.
      labelNames: ['server'],
      aggregator: 'min',
      registers,
      collect() {
        this.reset();
        const end = lastEnd();
        if (end !== undefined) this.set({ server: 'old' }, FAILURES.has(end) ? 0 : 1);
      },
    });
    this.#recorded = new Counter({
      name: 'service_recorded_requests_total',
      help: 'Requests for RECORD_FILE, by outcome (recorded, dropped, too_large).',
      labelNames: ['outcome'],
      registers,
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
    const advice = writeAdvice(error);
    this.#logger.error({ error }, `cannot record requests (RECORD_FILE)${advice && `.${advice}`}`);
  }

  /**
   * Notes whether the old server accepts connections, between requests. That alone does not prove that a
   * silent server answers again.
   */
  noteProbe(isAccepting: boolean): void {
    const before = this.#lastEnd;
    if (!isAccepting) this.#lastEnd = 'unreachable';
    else if (before === undefined || before === 'unreachable') this.#lastEnd = 'answered';
    if (before === this.#lastEnd) return;
    if (!isAccepting) this.#logger.error('the old server does not accept connections (OLD_URL)');
    else if (before !== undefined) this.#logger.info('the old server accepts connections again');
  }

  /** Returns a function that counts the request for its caller when its answers have been compared. */
  noteCompared({ operation = 'none', binding = 'none' }: ForwardedCall, request: Request) {
    const agent = agentFamily(request.headers['user-agent']);
    // Known only while the caller is connected.
    const client = loggedAddress(request, this.#logClient);
    return (verdict: Verdict): void => {
      const outcome = fails(verdict) ? 'different' : 'compared';
      this.#metrics.countCompared(operation, binding, outcome, agent, client);
    };
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
    const agent = agentFamily(request.headers['user-agent']);
    const client = loggedAddress(request, this.#logClient);
    const counted = mode === 'fallback' && outcome === 'answered' ? 'fallback' : outcome;
    this.#metrics.countForwarded(operation ?? 'none', binding ?? 'none', counted, agent, client);
    if (outcome === 'answered' || FAILURES.has(outcome)) this.#lastEnd = outcome;
    const fields = {
      operation,
      binding,
      mode,
      client,
      agent,
      status,
      outcome,
      error,
      durationMs: Math.round(durationMs * 1000) / 1000,
      traceId: trace && readTraceId(trace),
    };
    this.#logger[FAILURES.has(outcome) ? 'error' : 'info'](fields, 'forwarded');
  }
}
