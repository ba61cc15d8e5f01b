import { createServer } from 'node:http';

import { prepareDatabase } from '../app';
import type { Config } from '../config';
import { createAdminApp, PooledMetrics, type ServiceLog } from '../telemetry';
import { announceStart, listenForOperator } from './announce-start';
import { Listener } from './listener';
import { MetricsRound } from './metrics-round';
import { onSignals } from './on-signals';
import { ProcessPool } from './process-pool';
import { StartError } from './start-error';
import { endLate } from './stop-app';

/**
 * Starts the processes that do the work and watches over them. One delivers, so that what goes out keeps its
 * order and its limits; this one does nothing that could end it.
 *
 * @throws StoreError, FolderError or StartError
 */
export async function runPrimary(config: Config, log: ServiceLog): Promise<void> {
  if (config.DATABASE_URL === 'sqlite::memory:') {
    throw new StartError('PROCESSES must be 1 with a database in memory: each process would have its own.');
  }
  await prepareDatabase(config, log.logger);

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

  const admin = new Listener(createServer(createAdminApp(metrics)));
  const adminPort = await listenForOperator(admin, config);
  // The first one by itself: what keeps it from starting would keep all, and is to be said once.
  const { port, services, examples } = await pool.start('web');
  const others = Array.from({ length: config.PROCESSES - 1 }, () => pool.start('web'));
  if (config.ROLE === 'all') others.push(pool.start('delivery'));
  await Promise.all(others);
  announceStart({ port, adminPort, services, examples }, config, log);

  const kill = (): void => {
    pool.kill();
  };
  onSignals(log, () => void stop(), kill);

  async function stop(): Promise<void> {
    endLate(config, log, kill);
    await pool.stop();
    await admin.drain(0);
    log.logger.info('all processes stopped');
    await log.flush();
    process.exit(0);
  }
}
