import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/** Starts the work only when none is under way: whoever asks meanwhile gets the result of that. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () =>
    (pending ??= work().finally(() => {
      pending = undefined;
    }));
}

/** Completes `{"status": …}` on /readyz. */
type HealthStatus = 'ready' | 'draining' | 'store unavailable';

const PING_TIMEOUT_MS = 2000;

/** Whether the service is alive and ready for requests, and the two pages that say so to a load balancer. */
export class Health {
  readonly #ping: () => Promise<void>;
  readonly #logger: Logger;
  #draining = false;
  #alerts: readonly string[] = [];
  #last: HealthStatus = 'ready';
  readonly #storeStatus = singleFlight(() => this.#askStore());

  /**
   * @param ping - rejects when the store does not answer
   */
  constructor(ping: () => Promise<void>, logger: Logger) {
    this.#ping = ping;
    this.#logger = logger;
  }

  /** From now on the service is not ready: it is about to stop. */
  drain(): void {
    this.#draining = true;
  }

  /** Shows which critical alerts are active. @param alerts - their names */
  showAlerts(alerts: readonly string[]): void {
    this.#alerts = alerts;
  }

  /** Alive as long as it answers. */
  readonly live: RequestHandler = (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'alive' });
  };

  /** Ready or, with alerts, degraded: 200; draining, or without its store: 503. */
  readonly ready: RequestHandler = async (_request, response) => {
    const status = await this.status();
    const isDegraded = status === 'ready' && this.#alerts.length > 0;
    response
      .status(status === 'ready' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(isDegraded ? { status: 'degraded', alerts: this.#alerts } : { status });
  };

  /** Questions that come while one is being answered share its answer: a store in trouble is not asked more. */
  status(): Promise<HealthStatus> {
    if (this.#draining) return Promise.resolve('draining');
    return this.#storeStatus();
  }

  async #askStore(): Promise<HealthStatus> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`The store did not respond within ${String(PING_TIMEOUT_MS)} ms`));
      }, PING_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.#ping(), late]);
      return this.#changed('ready', undefined);
    } catch (error) {
      return this.#changed('store unavailable', error);
    } finally {
      clearTimeout(timer);
    }
  }

  #changed(now: HealthStatus, cause: unknown): HealthStatus {
    if (now !== this.#last) {
      if (now === 'ready') this.#logger.info('store available again');
      else this.#logger.error({ err: cause }, 'store unavailable');
    }
    this.#last = now;
    return now;
  }
}
