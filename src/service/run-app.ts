import { type App, createApp } from './app';
import { type Config, Settings, timeLimits } from '../config';
import { ActionTrail } from '../admin/login/actions';
import { AdminLogin } from '../admin/login/admin-login';
import type { MessageChannel } from '../store';
import type { ServiceLog } from '../telemetry';
import { type NodeServices, openNodeServices } from './admin-port';
import { announceStart, type Served, serviceAddress } from './announce-start';
import { Listener } from './listener';
import type { ChildKind, FromChild, ToChild } from './processes/process-pool';
import { reloadAll } from './reload';
import { ServiceManager } from './service-manager';
import { endLate, ignoreSignals, onSignals, type Start } from './start';

/** Share of the time for a stop that is for requests in progress; the rest is for closing resources. */
const SHARE_OF_REQUESTS = 0.8;

/**
 * New messages are announced after this time, together per channel: announcing each one would slow down every
 * request.
 */
const ANNOUNCE_AFTER_MS = 20;

/** Runs the whole service in this process. */
export async function runAlone({ settings, inUse, config, log, reloader }: Start): Promise<void> {
  const app = await createApp(config, log);
  const listeners = [new Listener(app.server)];
  const { store, metrics } = app;
  const trail = new ActionTrail(store, log.logger);
  const login = new AdminLogin(config, log.logger, trail);
  const node = await openNodeServices({
    ...{ store, settings, config, metrics, registry: metrics.registry, login, log },
    reload: () => reloader.request('command'),
    showAlerts: (alerts) => {
      app.health.showAlerts(alerts);
    },
  });
  const served = await listenForCallers(listeners, app, config).catch(async (error: unknown) => {
    await Promise.all(listeners.map((listener) => listener.drain(0)));
    await node.stop();
    await app.close();
    throw error;
  });
  app.delivery.start();
  node.start();
  const manager = new ServiceManager(process.env, log.logger);
  // Before anyone is invited to press Ctrl-C.
  onSignals(log, () => {
    reloader.endWatch();
    void manager.stopping(timeLimits(config).stopMs);
    void stop(app, listeners, config, log, node);
  });
  await announceStart(served, node.adminPort, store, config, log);
  void manager.ready();
  const reloadables = [...app.reloadables, ...node.reloadables];
  reloader.serve({
    manager,
    trail,
    reload: () => Promise.resolve(reloadAll(reloadables, inUse.config)),
  });
}

/**
 * Runs one of several processes, which answers requests or delivers. The primary process tells it when to
 * stop.
 */
export async function runChild(kind: ChildKind, config: Config, log: ServiceLog): Promise<void> {
  const role = kind === 'web' ? 'web' : 'worker';
  const announce = announcer((channel) => {
    tellPrimary({ kind: 'new-message', channel });
  });
  const app = await createApp({ ...config, ...(kind === 'web' ? {} : NO_TLS), ROLE: role }, log, announce);
  const listeners = [new Listener(app.server)];

  ignoreSignals();
  process.on('message', (message: ToChild) => {
    switch (message.kind) {
      case 'stop':
        void stop(app, listeners, config, log);
        break;
      case 'reload':
      case 'catch-up': {
        const wrong = reloadAll(app.reloadables, new Settings(message.texts).config);
        if (message.kind === 'reload') tellPrimary({ kind: 'reloaded', wrong });
        break;
      }
      case 'start':
        break;
      case 'alerts':
        app.health.showAlerts(message.alerts);
        break;
      case 'new-message':
        app.delivery.wake(message.channel);
        break;
      case 'send-metrics':
        void app.metrics.registry.getMetricsAsJSON().then((snapshot) => {
          tellPrimary({ kind: 'metrics', snapshot });
        });
    }
  });

  const served = kind === 'web' ? await listenForCallers(listeners, app, config) : servedBy(app, config, 0);
  app.delivery.start();
  tellPrimary({ kind: 'ready', served });
}

/** Replaces TLS in a process that does not listen. */
const NO_TLS = {
  TLS_CERT_FILE: undefined,
  TLS_KEY_FILE: undefined,
  TLS_CLIENT_CA_FILE: undefined,
  HTTP_PORT: undefined,
};

/** Opens the service's port, and with TLS the plain port, which needs the number of the first. */
async function listenForCallers(listeners: Listener[], app: App, config: Config): Promise<Served> {
  const { PORT, HTTP_PORT, HOST: host } = config;
  const port = (await listeners[0]?.listen({ port: PORT, host }, 'PORT')) ?? 0;
  if (HTTP_PORT === undefined) return servedBy(app, config, port);
  const plain = new Listener(app.plainServer(port));
  listeners.push(plain);
  return servedBy(app, config, port, await plain.listen({ port: HTTP_PORT, host }, 'HTTP_PORT'));
}

function servedBy(app: App, config: Config, port: number, plainPort?: number): Served {
  return {
    port,
    plainPort,
    services: app.services.map(({ name, path }) => ({ name, path })),
    examples: app.examples(serviceAddress(config, port)),
    certificateNames: app.certificateNames,
  };
}

/** Answers requests in progress, closes everything, and ends the process. */
async function stop(
  app: App,
  listeners: readonly Listener[],
  config: Config,
  log: ServiceLog,
  node?: NodeServices,
): Promise<never> {
  endLate(config, log);
  app.health.drain();
  const inFlightMs = timeLimits(config).stopMs * SHARE_OF_REQUESTS;
  const [cut] = await Promise.all([
    Promise.all(listeners.map((listener) => listener.drain(inFlightMs))),
    app.delivery.stop(inFlightMs),
  ]);
  if (cut.includes(true)) log.logger.warn('aborted requests that did not finish in time');
  await node?.stop();
  await app.close();
  log.logger.info('stopped');
  await log.flush();
  process.exit(0);
}

function tellPrimary(message: FromChild): void {
  if (process.connected) process.send?.(message);
}

/**
 * Announces new messages to the delivering processes, together per channel.
 *
 * @param announce - announces one channel
 * @returns a function to call for each new message
 */
export function announcer(announce: (channel: MessageChannel) => void): (channel: MessageChannel) => void {
  const waiting = new Set<MessageChannel>();
  const announceWaiting = (): void => {
    for (const channel of waiting) announce(channel);
    waiting.clear();
  };
  return (channel) => {
    if (waiting.size === 0) setTimeout(announceWaiting, ANNOUNCE_AFTER_MS);
    waiting.add(channel);
  };
}
