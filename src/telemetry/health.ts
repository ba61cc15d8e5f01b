import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

import { singleFlight } from '../support/single-flight';

/** Completes `{"status": …}` on /readyz. */
type HealthStatus = 'ready' | 'draining' | 'store unavailable';

const PING_TIMEOUT_MS = 2000;

/** Liveness and readiness of the service, with the two pages that show them to a load balancer. */
export class Health {
  readonly #ping: () => Promise<void>;
  readonly #logger: Logger;
  #draining = false;
  #alerts: readonly string[] = [];
  #last: HealthStatus = 'ready';
  readonly #storeStatus = singleFlight(() => this.#askStore());

  /** @param ping - rejects when the store does not answer */
  constructor(ping: () => Promise<void>, logger: Logger) {
    this.#ping = ping;
    this.#logger = logger;
  }

  /** Makes the service unready before a stop. */
  drain(): void {
    this.#draining = true;
  }

  /** Shows the active critical alerts. @param alerts - their names */
  showAlerts(alerts: readonly string[]): void {
    this.#alerts = alerts;
  }

  /** Answers 200 as long as the process runs. */
  readonly live: RequestHandler = (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'alive' });
  };

  /** Answers 200 when ready or, with alerts, degraded; 503 when draining, or without the store. */
  readonly ready: RequestHandler = async (_request, response) => {
    const status = await this.status();
    const isDegraded = status === 'ready' && this.#alerts.length > 0;
    response
      .status(status === 'ready' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(isDegraded ? { status: 'degraded', alerts: this.#alerts } : { status });
  };

  /**
   * Returns the current status. Concurrent calls share one answer, so that a failing store gets no extra
   * load.
   */
  status(): Promise<HealthStatus> {
    if (this.#draining) return Promise.resolve('draining');
    return this.#storeStatus();
  }

  async #askStore(): Promise<HealthStatus> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The store did not respond within ${String(PING_TIMEOUT_MS)} ms`)),
        PING_TIMEOUT_MS,
      );
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
