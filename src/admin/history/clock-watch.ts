import { Gauge, type Registry } from 'prom-client';

const LOOK_MS = 10_000;
/** Smaller changes come from time synchronization, or a busy process. */
const JUMP_MS = 30_000;

interface ClockWatchOptions {
  readonly registry: Registry;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
  /** Returns milliseconds of a monotonic clock; default: the process's. */
  readonly elapsed?: () => number;
}

/** Detects when the system's clock is set, and publishes when that was. A suspended machine looks the same. */
export class ClockWatch {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #jumpedAt: Gauge;
  #offset: number;
  #timer: NodeJS.Timeout | undefined;

  constructor({ registry, now = Date.now, elapsed = () => performance.now() }: ClockWatchOptions) {
    this.#now = now;
    this.#elapsed = elapsed;
    this.#offset = now() - elapsed();
    this.#jumpedAt = new Gauge({
      name: 'service_clock_jump_timestamp_seconds',
      help: 'When the system clock was last changed by more than 30 seconds, in seconds since 1970; without that NaN.',
      registers: [registry],
    });
    this.#jumpedAt.set(Number.NaN);
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.look();
    }, LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const now = this.#now();
    const offset = now - this.#elapsed();
    if (Math.abs(offset - this.#offset) > JUMP_MS) this.#jumpedAt.set(now / 1000);
    this.#offset = offset;
  }
}
