import { createServer } from 'node:http';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import { createConsole } from '../admin/console/console';
import { ConsoleImports } from '../admin/console/imports';
import { AlertWatch } from '../admin/alerts/alerts';
import { AlertNotifier } from '../admin/alerts/notifier';
import { ClockWatch, NodePulse, publishNodes } from '../admin/history/nodes';
import type { AdminLogin } from '../admin/login/admin-login';
import { boundUnread } from '../asmx';
import { type Config, type Reloadable, type ReloadResult, type Settings, comparedFolder } from '../config';
import { nodeName, type Store } from '../store';
import { readVersion } from '../support/program-name';
import { preflight } from './preflight';
import { createAdminApp, type ReadableMetrics, type ServiceLog } from '../telemetry';
import { Listener } from './listener';
import { ReloadRequests } from './reload-requests';
import { importRunner } from './scheduled-work';
import {
  CUTOVER_ACTION,
  type MigratedCall,
  type MigrationSource,
  modesDetail,
  type ShownDifference,
} from '../admin/console/migration-page';
import { bindingName, Cutover, differenceText, type Findings, readFindings } from '../migration';
import { OperatorError } from '../support/errors';
import { offeredOperations } from './endpoints';

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
  const migration =
    config.OLD_URL === undefined || config.ROLE === 'worker'
      ? undefined
      : new MigrationView(config, store, logger);
  const imports = new ConsoleImports({
    ...{ store, run: importRunner(config), node: node.name },
    folder: join(config.DATA_DIR, `uploads-${String(config.PORT)}`),
  });
  const pages =
    config.ADMIN_PORT === undefined
      ? undefined
      : await createConsole({ store, node, settings, findings, logger, imports, migration, users: login });
  const reloads = new ReloadRequests(config.DATA_DIR, reload);
  const { listener, port } = await openAdminPort(metrics, config, login, logger, {
    pages,
    reloads: reloads.route,
  });
  if (port !== undefined) reloads.publish(config.ADMIN_HOST, port);
  return {
    adminPort: port,
    reloadables: [login, notifier, ...(migration === undefined ? [] : [migration])],
    start: () => {
      void migration?.record();
      pulse.start();
      clock.start();
      alerts.start();
    },
    stop: async () => {
      reloads.close();
      await listener.drain(0);
      await imports.stop();
      clock.stop();
      await alerts.stop();
      await notifier.stop();
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

/** Shows the console what the reverse proxy does, and records each change of the cutover. */
class MigrationView implements MigrationSource, Reloadable {
  readonly settings = ['CUTOVER_FILE'] as const;
  readonly #store: Pick<Store, 'audit' | 'write'>;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #cutover: Cutover;

  /** @throws OperatorError if the cutover file cannot be used */
  constructor(config: Config, store: Pick<Store, 'audit' | 'write'>, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
    this.#folder = comparedFolder(config);
    this.#cutover = new Cutover(config.CUTOVER_FILE, offeredOperations(config));
  }

  /** Reloads the file unless it is invalid, which the reverse proxy reports. */
  reload(): void {
    try {
      this.#cutover.reload();
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
    }
    void this.record();
  }

  /** Records the modes if they differ from the last recorded ones. Does not throw. */
  async record(): Promise<void> {
    try {
      const detail = modesDetail(this.#cutover.list());
      const [last] = await this.#store.audit.list({ action: CUTOVER_ACTION }, 1);
      if (JSON.stringify(last?.detail) === JSON.stringify(detail)) return;
      const entry = { at: Date.now(), who: 'service', action: CUTOVER_ACTION, detail };
      await this.#store.write(({ audit }) => audit.add(entry));
    } catch (error) {
      this.#logger.error({ err: error }, 'audit entry not stored');
    }
  }

  calls(): readonly MigratedCall[] {
    const counts = this.#findings()?.counts ?? [];
    return this.#cutover.list().map((call) => {
      const count = counts.find(
        ({ operation, binding }) => operation === call.operation && binding === bindingName(call.binding),
      );
      return { ...call, compared: count?.pairs ?? 0, different: count?.failed ?? 0 };
    });
  }

  differences(): readonly ShownDifference[] {
    const groups = this.#findings()?.groups ?? [];
    return groups
      .filter(({ known, level }) => known === undefined && level !== 'xml')
      .map((group) => ({
        ...{ operation: group.operation, binding: group.binding, count: group.count },
        ...{ text: differenceText(group), old: group.old, ours: group.ours, example: group.example.curl },
      }));
  }

  #findings(): Findings | undefined {
    return readFindings(this.#folder)?.findings;
  }
}
