import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';

import type { HeldArea } from '../../store';
import { GUARD_LEVELS, type Holding } from './pumping-guard';

/** Tells the operator, in log and metrics, where too many codes go. */
export class GuardReport {
  readonly #logger: Logger;
  readonly #codes: Counter<'level' | 'refused'>;
  readonly #enforces: boolean;

  constructor(logger: Logger, registry: Registry, enforces: boolean) {
    this.#logger = logger;
    this.#enforces = enforces;
    this.#codes = new Counter({
      name: 'delivery_unusual_codes_total',
      help: 'Codes that went, or were to go, where too many go (range, country, new countries, abroad), and whether they were refused.',
      labelNames: ['level', 'refused'],
      registers: [registry],
    });
    // Prometheus sees no growth of what was not there before.
    for (const level of GUARD_LEVELS) this.#codes.inc({ level, refused: String(enforces) }, 0);
  }

  /** One line when something begins to be held, and a count of each code. */
  readonly tell = ({ level, area, codes, heldUntil, begins }: Holding, caller: string): void => {
    this.#codes.inc({ level, refused: String(this.#enforces) });
    if (!begins) return;
    this.#logger.warn(
      {
        counted: level,
        ...(area !== '' && { area }),
        ...(caller !== '' && { caller }),
        codes,
        until: new Date(heldUntil).toISOString(),
      },
      this.#enforces
        ? 'more codes than usual go there: none are sent there for now'
        : 'more codes than usual go there: PUMPING_GUARD=enforce would send none there for now',
    );
  };
}

/**
 * Publishes how much is held, in all processes together: to be called in one of them.
 *
 * @param readHeld - asked whenever the metrics are read
 */
export function countHeldAreas(registry: Registry, readHeld: () => Promise<readonly HeldArea[]>): void {
  const held = new Gauge({
    name: 'delivery_held_areas',
    help: 'Ranges of numbers, countries and groups of them to which more codes went than usual, in the last 12 hours.',
    registers: [registry],
    collect: async () => {
      const areas = await readHeld().catch(() => undefined);
      held.set(areas?.length ?? Number.NaN);
    },
  });
}
