import { createServer } from 'node:http';

import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

import { boundUnread } from '../asmx';
import type { Config } from '../config';
import type { Entrance } from '../admin/login';
import { createAdminApp, type ReadableMetrics } from '../telemetry';
import { Listener } from './listener';

/** One operator, and what watches for them; the next connection is closed. */
const MOST_CONNECTIONS = 64;

/** Where the operator looks: the server, and its port once it listens. */
export interface AdminPort {
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
