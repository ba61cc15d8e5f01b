import { createServer } from 'node:http';

import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

import { createConsole } from '../admin/console/console';
import type { Node } from '../admin/history/nodes';
import type { Entrance } from '../admin/login/entrance';
import { boundUnread } from '../asmx';
import type { Config, Settings } from '../config';
import type { Store } from '../store';
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

/** The operator's pages; undefined where there is no port for them. */
export function consolePages(
  store: Store,
  node: Node,
  settings: Settings,
  entrance: Entrance,
  { logger }: ServiceLog,
): RequestHandler | undefined {
  if (settings.config.ADMIN_PORT === undefined) return undefined;
  return createConsole({ store, node, settings, findings: preflight(settings), logger, visitors: entrance });
}
