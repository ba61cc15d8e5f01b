import { ActionTrail } from '../../admin/login/actions';
import { AdminLogin } from '../../admin/login/admin-login';
import { type Config, type ReloadFailure, timeLimits } from '../../config';
import { type MetricsSnapshot, PooledMetrics } from '../../telemetry';
import { openNodeServices } from '../admin-port';
import { announceStart, type Served } from '../announce-start';
import { openServiceStore } from '../database';
import { reloadAll, withoutRepetitions } from '../reload';
import { ServiceManager } from '../service-manager';
import { endLate, onSignals, type Start } from '../start';
import { ProcessPool, Round } from './process-pool';

/** Time limit for a process's metrics; a busier process is counted with its previous ones. */
const ANSWER_WITHIN_MS = 1000;
/** Number of database connections for the console. */
const OWN_CONNECTIONS = 2;

/**
 * Starts the processes that do the work, and supervises them. One of them delivers, which preserves the order
 * and limits of messages; this process does nothing that could crash it.
 *
 * @throws OperatorError or AlreadyReportedError
 */
export async function runPrimary({ settings, inUse, config, log, reloader }: Start): Promise<void> {
  const store = await openServiceStore(config, log.logger, { poolSize: OWN_CONNECTIONS });

  const reloads = new Round<readonly ReloadFailure[]>();
  const snapshots = new Round<MetricsSnapshot>(ANSWER_WITHIN_MS);
  const pool = new ProcessPool(log.logger, () => inUse.texts, {
    onMessage: (child, message) => {
      switch (message.kind) {
        case 'metrics':
          metrics.remember(child.id, message.snapshot);
          snapshots.take(child.id, message.snapshot);
          break;
        case 'reloaded':
          reloads.take(child.id, message.wrong);
          break;
        case 'new-message':
          for (const worker of pool.children('delivery')) worker.send(message);
      }
    },
    onLines: (lines) => {
      log.writeLines(lines);
    },
    onEnd: (child, replaced) => {
      snapshots.ended(child.id);
      reloads.ended(child.id);
      metrics.forget(child.id);
      if (replaced) metrics.countReplaced();
    },
  });
  const metrics = new PooledMetrics(async () => {
    await snapshots.ask(pool.children(), { kind: 'send-metrics' });
  });

  const trail = new ActionTrail(store, log.logger);
  const login = new AdminLogin(config, log.logger, trail);
  const node = await openNodeServices({
    ...{ store, settings, config, metrics, registry: metrics.own, login, log },
    reload: () => reloader.request('command'),
    showAlerts: (alerts) => {
      for (const child of pool.children()) child.send({ kind: 'alerts', alerts });
    },
  });
  const served = await startAll(pool, config).catch(async (error: unknown) => {
    await node.stop();
    await store.close();
    throw error;
  });
  node.start();

  const kill = (): void => {
    pool.kill();
  };
  const manager = new ServiceManager(process.env, log.logger);
  // Before anyone is invited to press Ctrl-C.
  onSignals(log, () => void stop(), kill);
  await announceStart(served, node.adminPort, store, config, log);
  void manager.ready();
  reloader.serve({
    manager,
    trail,
    reload: async () => {
      const own = reloadAll(node.reloadables, inUse.config);
      pool.reloadStarting();
      const theirs = await reloads.ask(pool.children(), { kind: 'reload', texts: inUse.texts });
      return withoutRepetitions([...own, ...theirs.flat()]);
    },
  });

  async function stop(): Promise<void> {
    reloader.endWatch();
    void manager.stopping(timeLimits(config).stopMs);
    endLate(config, log, kill);
    await pool.stop();
    await node.stop();
    await store.close();
    log.logger.info('all processes stopped');
    await log.flush();
    process.exit(0);
  }
}

/** The first one starts alone: a problem would prevent all from starting, and must be reported once. */
async function startAll(pool: ProcessPool, { PROCESSES, ROLE }: Config): Promise<Served> {
  const served = await pool.start('web');
  const others = Array.from({ length: PROCESSES - 1 }, () => pool.start('web'));
  if (ROLE === 'all') others.push(pool.start('delivery'));
  await Promise.all(others);
  return served;
}
