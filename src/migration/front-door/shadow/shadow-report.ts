import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

import type { HttpRequest } from '../../messages';
import { bindingName, FindingsTotal } from '../../report';
import { type Difference, isFailing, type Verdict } from '../../verdict';
import type { DoorCall } from '../door-report';
import { FindingsFile } from './findings-file';
import type { NotCompared, ShadowObserver } from './shadow';

export interface ShadowReportOptions {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Where what was found is kept. */
  readonly folder: string;
  /** What the examples call: the old server. */
  readonly address: string;
}

/** Callers send the same again and again: no more than one line of a difference in this time. */
const INTERVAL_MS = 60_000;
/** Of how many differences is remembered when there was a line. */
const MOST_REMEMBERED = 1000;

/** Tells the log, the metrics and a file what came of comparing. Values are masked before they come here. */
export class ShadowReport implements ShadowObserver {
  readonly #logger: Logger;
  readonly #total: FindingsTotal;
  readonly #file: FindingsFile;
  /** By difference, how often it was met since its last line. */
  readonly #told = new Map<string, { atMs: number; times: number }>();
  readonly #verdicts: Counter<'operation' | 'binding' | 'verdict'>;

  constructor({ logger, registry, folder, address }: ShadowReportOptions) {
    this.#logger = logger;
    this.#total = new FindingsTotal(address);
    this.#file = new FindingsFile(folder, this.#total, (error) => {
      logger.error({ folder, error }, 'what was compared cannot be written');
    });
    this.#verdicts = new Counter({
      name: 'service_compared_requests_total',
      help: 'Requests that the old server answered and that were to be compared, by operation, binding and verdict (bytes, xml, order, different; dropped, too_large, late, failed where they were not).',
      labelNames: ['operation', 'binding', 'verdict'],
      registers: [registry],
    });
  }

  /** A line in the log for each difference that nobody made on purpose: at once, and then at most once a minute. */
  compared(call: DoorCall, request: HttpRequest, verdict: Verdict): void {
    const { operation = '', binding = '' } = call;
    this.#count(call, verdict.level);
    for (const difference of verdict.differences.filter(isFailing))
      this.#tell(operation, binding, difference);
    this.#total.add({ request, operation, binding: bindingName(binding), verdict });
    this.#file.changed();
  }

  notCompared(call: DoorCall, why: NotCompared): void {
    this.#count(call, why);
  }

  /** Writes what is not written yet. */
  close(): void {
    this.#file.close();
  }

  #tell(operation: string, binding: string, difference: Difference): void {
    const { part, place, what } = difference;
    const key = [operation, binding, part, what, place].join(' ');
    const now = performance.now();
    const told = this.#told.get(key);
    if (told !== undefined && now - told.atMs < INTERVAL_MS) {
      told.times += 1;
      return;
    }
    if (this.#told.size >= MOST_REMEMBERED) this.#told.clear();
    this.#told.set(key, { atMs: now, times: 0 });
    const times = (told?.times ?? 0) + 1;
    this.#logger.warn(
      { operation, binding, ...difference, times },
      'our answer differs from the old server’s',
    );
  }

  #count({ operation = 'none', binding = 'none' }: DoorCall, verdict: string): void {
    this.#verdicts.inc({ operation, binding, verdict });
  }
}
