import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';

import type { BlockedArea } from './code-traffic';
import { GUARD_LEVELS, type GuardBlock } from './pumping-guard';

/** Reports destinations of too many codes to log and metrics. */
export class GuardReport {
  readonly #logger: Logger;
  readonly #codes: Counter<'level' | 'refused'>;
  readonly #enforces: boolean;

  constructor(logger: Logger, registry: Registry, enforces: boolean) {
    this.#logger = logger;
    this.#enforces = enforces;
    this.#codes = new Counter({
      name: 'delivery_unusual_codes_total',
      help: 'Codes to areas with unusual traffic, by kind of area (range, country, new countries, abroad) and whether they were refused.',
      labelNames: ['level', 'refused'],
      registers: [registry],
    });
    // Prometheus sees no increase from a missing series.
    for (const level of GUARD_LEVELS) this.#codes.inc({ level, refused: String(enforces) }, 0);
  }

  /** Logs the beginning of a block, and counts each code. */
  readonly tell = ({ level, area, codes, blockedUntil, begins }: GuardBlock, caller: string): void => {
    this.#codes.inc({ level, refused: String(this.#enforces) });
    if (!begins) return;
    this.#logger.warn(
      {
        counted: level,
        ...(area !== '' && { area }),
        ...(caller !== '' && { caller }),
        codes,
        until: new Date(blockedUntil).toISOString(),
      },
      this.#enforces
        ? 'unusual number of codes to this area, blocked for now'
        : 'unusual number of codes to this area; PUMPING_GUARD=enforce would block it',
    );
  };
}

/**
 * Publishes the number of blocks, of all processes together: to be called in one of them.
 *
 * @param readBlocked - reads the blocks whenever the metrics are read
 */
export function countBlockedAreas(
  registry: Registry,
  readBlocked: () => Promise<readonly BlockedArea[]>,
): void {
  const blocked = new Gauge({
    name: 'delivery_blocked_areas',
    help: 'Number ranges, countries and groups of them with an unusual number of codes in the last 12 hours.',
    registers: [registry],
    collect: async () => {
      const areas = await readBlocked().catch(() => undefined);
      blocked.set(areas?.length ?? Number.NaN);
    },
  });
}
