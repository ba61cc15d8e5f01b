import { createServer } from 'node:http';

import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import { createConsole } from '../admin/console/console';
import { AlertWatch } from '../admin/alerts/alerts';
import { AlertNotifier } from '../admin/alerts/notifier';
import { ClockWatch } from '../admin/history/clock-watch';
import { nodeName, NodePulse, publishNodes } from '../admin/history/nodes';
import type { Entrance } from '../admin/login/entrance';
import { boundUnread } from '../asmx';
import type { Config, Reloadable, Settings } from '../config';
import type { Store } from '../store';
import { readVersion } from '../support/program-name';
import { preflight } from './preflight';
import { createAdminApp, type ReadableMetrics, type ServiceLog } from '../telemetry';
import { Listener } from './listener';

/** One operator, and what watches for them; the next connection is closed. */
const MOST_CONNECTIONS = 64;

/** Where the operator looks: the server, and its port once it listens. */
interface AdminPort {
  readonly listener: Listener;
  /** Undefined where none is wanted. */
  readonly port: number | undefined;
}

interface OperatedNode {
  readonly store: Store;
  readonly settings: Settings;
  readonly config: Config;
  /** Of all processes of the node. */
  readonly metrics: ReadableMetrics;
  /** Gets what is measured once a node. */
  readonly registry: Registry;
  readonly entrance: Entrance;
  readonly log: ServiceLog;
  /** Called with the names of the critical alerts, every few seconds. */
  readonly showAlerts: (alerts: readonly string[]) => void;
}

/** What a node has once, whatever the number of its processes. */
export interface NodeServices {
  /** Undefined where no port for the operator is wanted. */
  readonly adminPort: number | undefined;
  readonly reloadables: readonly Reloadable[];
  start(): void;
  stop(): Promise<void>;
}

/**
 * Opens the port for the operator, and what watches over the node.
 *
 * @throws OperatorError where the port cannot be listened on
 */
export async function openNodeServices(options: OperatedNode): Promise<NodeServices> {
  const { store, settings, config, metrics, registry, entrance, log, showAlerts } = options;
  const node = { name: nodeName(config.PORT), version: readVersion(), folder: config.DATA_DIR, metrics };
  const findings = preflight(settings);
  const { logger } = log;
  const notifier = new AlertNotifier(config, { store, node: node.name, logger });
  publishNodes(registry, { store, folder: config.DATA_DIR });
  const pulse = new NodePulse({ store, node });
  const clock = new ClockWatch({ registry });
  const alerts = new AlertWatch({
    ...{ store, node, registry, config, findings },
    onLook: async (active) => {
      const critical = active.filter(({ rule }) => rule.severity === 'critical');
      showAlerts([...new Set(critical.map(({ rule }) => rule.name))]);
      await notifier.notify(active);
    },
  });
  const pages =
    config.ADMIN_PORT === undefined
      ? undefined
      : createConsole({ store, node, settings, findings, logger, visitors: entrance });
  const { listener, port } = await openAdminPort(metrics, config, entrance, logger, pages);
  return {
    adminPort: port,
    reloadables: [entrance, notifier],
    start: () => {
      pulse.start();
      clock.start();
      alerts.start();
    },
    stop: async () => {
      await listener.drain(0);
      clock.stop();
      await alerts.stop();
      await notifier.stop();
      await pulse.stop();
    },
  };
}

/**
 * Listens for the operator, if that is wanted.
 *
 * @param entrance - lets visitors in
 * @param pages - what is served beside the metrics
 * @throws OperatorError where the address cannot be listened on
 */
export async function openAdminPort(
  metrics: ReadableMetrics,
  config: Config,
  entrance: Pick<Entrance, 'gate'>,
  logger: Logger,
  pages?: RequestHandler,
): Promise<AdminPort> {
  const { ADMIN_PORT, ADMIN_HOST: host, TRUST_PROXY: trustProxy } = config;
  const server = createServer(createAdminApp(metrics, { gate: entrance.gate, pages, trustProxy, logger }));
  server.maxConnections = MOST_CONNECTIONS;
  server.on('request', boundUnread);
  const listener = new Listener(server);
  const port =
    ADMIN_PORT === undefined ? undefined : await listener.listen({ port: ADMIN_PORT, host }, 'ADMIN_PORT');
  return { listener, port };
}
