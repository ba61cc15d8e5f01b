import type { Config, Settings } from '../config';
import { openServiceStore } from '../database';
import { Entrance } from '../entrance';
import { nodeName, NodePulse } from '../figures';
import { type MetricsSnapshot, PooledMetrics, type ServiceLog } from '../telemetry';
import { readVersion } from '../version';
import { openAdminPort } from './admin-port';
import { announceStart } from './announce-start';
import { consolePages } from './console-pages';
import { ProcessPool } from './process-pool';
import { onReload, reloadUsers } from './reload';
import { endLate, onSignals } from './shutdown';

/** A process that is busier than this is counted with what it said the last time. */
const ANSWER_WITHIN_MS = 1000;
/** To the database, for the operator's pages. */
const OWN_CONNECTIONS = 2;

/**
 * Starts the processes that do the work and watches over them. One delivers, so that what goes out keeps its
 * order and its limits; this one does nothing that could end it.
 *
 * @throws OperatorError or AlreadyReportedError
 */
export async function runPrimary(settings: Settings, config: Config, log: ServiceLog): Promise<void> {
  const store = await openServiceStore({ ...config, DATABASE_POOL_SIZE: OWN_CONNECTIONS }, log.logger);

  const pool = new ProcessPool(log.logger, {
    onMessage: (child, message) => {
      if (message.kind === 'metrics') round.take(child.id, message.snapshot);
      else for (const worker of pool.children('delivery')) worker.send(message);
    },
    onLines: (lines) => {
      log.writeLines(lines);
    },
    onEnd: (child, replaced) => {
      round.ended(child.id);
      metrics.forget(child.id);
      if (replaced) metrics.countReplaced();
    },
  });
  const metrics: PooledMetrics = new PooledMetrics(() => round.collect());
  const round: MetricsRound = new MetricsRound(pool, metrics);

  const entrance = new Entrance(config, log.logger);
  const version = readVersion();
  const node = { name: nodeName(config.PORT), version, folder: config.DATA_DIR, metrics };
  const pulse = new NodePulse({ store, node });
  const pages = consolePages(store, node, settings, entrance, log);
  const admin = await openAdminPort(metrics, config, entrance, pages);
  // The first one by itself: what keeps it from starting would keep all, and is to be said once.
  const served = await pool.start('web');
  const others = Array.from({ length: config.PROCESSES - 1 }, () => pool.start('web'));
  if (config.ROLE === 'all') others.push(pool.start('delivery'));
  await Promise.all(others);
  announceStart(served, admin.port, config, log);
  pulse.start();

  const kill = (): void => {
    pool.kill();
  };
  onSignals(log, () => void stop(), kill);
  onReload(config, () => {
    for (const child of pool.children('web')) child.send({ kind: 'reload' });
    reloadUsers(entrance, config, log.logger);
  });

  async function stop(): Promise<void> {
    endLate(config, log, kill);
    await pool.stop();
    await admin.listener.drain(0);
    await pulse.stop();
    await store.close();
    log.logger.info('all processes stopped');
    await log.flush();
    process.exit(0);
  }
}

/** Asks all processes for their metrics. */
class MetricsRound {
  readonly #pool: ProcessPool;
  readonly #metrics: PooledMetrics;
  readonly #awaited = new Set<number>();
  #onDone: () => void = () => undefined;

  constructor(pool: ProcessPool, metrics: PooledMetrics) {
    this.#pool = pool;
    this.#metrics = metrics;
  }

  /** Resolves when all have answered, or have had the time to. */
  async collect(): Promise<void> {
    const children = this.#pool.children();
    if (children.length === 0) return;
    const done = new Promise<void>((resolve) => (this.#onDone = resolve));
    const late = setTimeout(this.#onDone, ANSWER_WITHIN_MS);
    for (const { id } of children) this.#awaited.add(id);
    for (const child of children) child.send({ kind: 'send-metrics' });
    await done;
    clearTimeout(late);
    this.#awaited.clear();
  }

  take(id: number, snapshot: MetricsSnapshot): void {
    this.#metrics.remember(id, snapshot);
    this.ended(id);
  }

  /** Nothing more is to be expected from a process. */
  ended(id: number): void {
    this.#awaited.delete(id);
    if (this.#awaited.size === 0) this.#onDone();
  }
}
