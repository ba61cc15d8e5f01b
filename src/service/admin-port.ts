import { createServer } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import { createConsole } from '../admin/console/console';
import { AlertWatch } from '../admin/alerts/alerts';
import { ClockWatch, NodePulse, publishNodes } from '../admin/history/nodes';
import type { AdminLogin } from '../admin/login/admin-login';
import { boundUnread } from '../asmx/internal';
import type { Config, Reloadable, ReloadResult, Settings } from '../config';
import { ALL_FEATURES } from '../features/feature';
import { nodeName, type Store } from '../store';
import { readVersion } from '../support/program-name';
import { preflight } from './preflight';
import { createAdminApp, type ReadableMetrics, type ServiceLog } from '../telemetry';
import { Listener } from './listener';
import { ReloadRequests } from './reload-requests';

/** Enough for one operator and monitoring; further connections are closed. */
const MAX_CONNECTIONS = 64;

/** The server of the console, and its port once it listens. */
interface AdminPort {
  readonly listener: Listener;
  /** Undefined if disabled. */
  readonly port: number | undefined;
}

interface OperatedNode {
  readonly store: Store;
  readonly settings: Settings;
  readonly config: Config;
  readonly metrics: ReadableMetrics;
  /** Registry for metrics measured once per node. */
  readonly registry: Registry;
  readonly login: AdminLogin;
  readonly log: ServiceLog;
  /** Reloads settings and files of the whole service. */
  readonly reload: () => Promise<ReloadResult>;
  /** Called every few seconds with the names of the critical alerts. */
  readonly showAlerts: (alerts: readonly string[]) => void;
}

/** Services that run once per node, whatever its number of processes. */
export interface NodeServices {
  /** Undefined if the console's port is disabled. */
  readonly adminPort: number | undefined;
  readonly reloadables: readonly Reloadable[];
  start(): void;
  stop(): Promise<void>;
}

/** @throws OperatorError if the console's port cannot be opened */
export async function openNodeServices(options: OperatedNode): Promise<NodeServices> {
  const { store, settings, config, metrics, registry, login, log, reload, showAlerts } = options;
  const node = { name: nodeName(config.PORT), version: readVersion(), folder: config.DATA_DIR, metrics };
  const findings = await preflight(settings);
  const { logger } = log;
  const opened = ALL_FEATURES.map(async (feature) =>
    feature.watchAlerts?.({ config, store, node: node.name, logger }),
  );
  const watchers = (await Promise.all(opened)).filter((watcher) => watcher !== undefined);
  publishNodes(registry, { store, folder: config.DATA_DIR });
  const pulse = new NodePulse({ store, node });
  const clock = new ClockWatch({ registry });
  const alerts = new AlertWatch({
    ...{ store, node, registry, config, findings },
    onLook: async (active) => {
      const critical = active.filter(({ rule }) => rule.severity === 'critical');
      showAlerts([...new Set(critical.map(({ rule }) => rule.name))]);
      for (const watcher of watchers) await watcher.notify(active);
    },
  });
  const console = await createConsole({ store, node, settings, findings, logger, users: login });
  const reloads = new ReloadRequests(config.DATA_DIR, reload);
  const { listener, port } = await openAdminPort(metrics, config, login, logger, {
    pages: console.pages,
    reloads: reloads.route,
  });
  if (port !== undefined) reloads.publish(config.ADMIN_HOST, port);
  return {
    adminPort: port,
    reloadables: [login, ...watchers, ...console.reloadables],
    start: () => {
      console.start();
      pulse.start();
      clock.start();
      alerts.start();
    },
    stop: async () => {
      reloads.close();
      await listener.drain(0);
      await console.stop();
      clock.stop();
      await alerts.stop();
      for (const watcher of watchers) await watcher.stop();
      await pulse.stop();
    },
  };
}

/**
 * Opens the console's port, if enabled.
 *
 * @param login - authenticates admin users
 * @param handlers.pages - served beside the metrics
 * @param handlers.reloads - serves reload requests
 * @throws OperatorError if the address cannot be used
 */
export async function openAdminPort(
  metrics: ReadableMetrics,
  config: Config,
  login: Pick<AdminLogin, 'gate'>,
  logger: Logger,
  handlers: { readonly pages?: RequestHandler | undefined; readonly reloads?: RequestHandler } = {},
): Promise<AdminPort> {
  const {
    ADMIN_PORT,
    ADMIN_HOST: host,
    TRUST_PROXY: trustProxy,
    FORWARDED_HEADERS: forwardedHeaders,
  } = config;
  const { gate } = login;
  const app = createAdminApp(metrics, { gate, ...handlers, trustProxy, forwardedHeaders, logger });
  const server = createServer(app);
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', boundUnread);
  const listener = new Listener(server);
  const port =
    ADMIN_PORT === undefined ? undefined : await listener.listen({ port: ADMIN_PORT, host }, 'ADMIN_PORT');
  return { listener, port };
}
