import { createServer } from 'node:http';

import { type App, createApp } from '../app';
import type { Config } from '../config';
import type { MessageChannel } from '../store';
import { createAdminApp, type ServiceLog } from '../telemetry';
import { adminHosts, announceStart, listenForOperator, type Served, serviceAddress } from './announce-start';
import { Listener } from './listener';
import type { ChildKind, FromChild, ToChild } from './messages';
import { canReload, onReload } from './reload';
import { endLate, ignoreSignals, onSignals } from './shutdown';

/** Part of SHUTDOWN_SECONDS that the requests in flight may take; the rest is for closing what they stood on. */
const SHARE_OF_REQUESTS = 0.8;

/** New messages are announced after this time, all of a channel at once: one by one would cost each request. */
const ANNOUNCE_AFTER_MS = 20;

/** The whole service in this process. */
export async function runAlone(config: Config, log: ServiceLog): Promise<void> {
  const app = await createApp(config, log);
  const endpoints = new Listener(app.server);
  const admin = new Listener(createServer(createAdminApp(app.metrics, adminHosts(config))));
  const adminPort = await listenForOperator(admin, config);
  const port = await listenForCallers(endpoints, config);
  announceStart(servedBy(app, config, port), adminPort, config, log);
  app.delivery.start();
  if (canReload(config)) onReload(app.reload);
  onSignals(log, () => void stop(app, endpoints, admin, config, log));
}

/** One process of several: answers requests, or delivers. The primary process says when it is to stop. */
export async function runChild(kind: ChildKind, config: Config, log: ServiceLog): Promise<void> {
  const role = kind === 'web' ? 'web' : 'worker';
  const announce = announcer((channel) => {
    tellPrimary({ kind: 'new-message', channel });
  });
  const app = await createApp({ ...config, ROLE: role }, log, announce);
  const endpoints = new Listener(app.server);

  ignoreSignals();
  // The terminal's hang-up reaches every process; the order comes from the primary one.
  if (canReload(config)) onReload(() => undefined);
  process.on('message', (message: ToChild) => {
    switch (message.kind) {
      case 'stop':
        void stop(app, endpoints, undefined, config, log);
        break;
      case 'reload':
        app.reload();
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

  const port = kind === 'web' ? await listenForCallers(endpoints, config) : 0;
  app.delivery.start();
  tellPrimary({ kind: 'ready', served: servedBy(app, config, port) });
}

function listenForCallers(endpoints: Listener, { PORT: port, HOST: host }: Config): Promise<number> {
  return endpoints.listen({ port, host }, 'PORT');
}

function servedBy(app: App, config: Config, port: number): Served {
  const services = app.services.map(({ name, path }) => ({ name, path }));
  return { port, services, examples: app.examples(serviceAddress(config, port)) };
}

/** Answers what has begun, closes everything, and ends the process. */
async function stop(
  app: App,
  endpoints: Listener,
  admin: Listener | undefined,
  config: Config,
  log: ServiceLog,
): Promise<never> {
  endLate(config, log);
  app.health.drain();
  const inFlightMs = config.SHUTDOWN_SECONDS * 1000 * SHARE_OF_REQUESTS;
  const [cut] = await Promise.all([endpoints.drain(inFlightMs), app.delivery.stop(inFlightMs)]);
  if (cut) log.logger.warn('requests that had not ended in time were cut off');
  await admin?.drain(0);
  await app.close();
  log.logger.info('stopped');
  await log.flush();
  process.exit(0);
}

function tellPrimary(message: FromChild): void {
  if (process.connected) process.send?.(message);
}

/**
 * Announces new messages to the processes that deliver, all of a channel within a moment at once.
 *
 * @param tell - announces one channel
 * @returns to be called for each new message
 */
export function announcer(tell: (channel: MessageChannel) => void): (channel: MessageChannel) => void {
  const waiting = new Set<MessageChannel>();
  const announce = (): void => {
    for (const channel of waiting) tell(channel);
    waiting.clear();
  };
  return (channel) => {
    if (waiting.size === 0) setTimeout(announce, ANNOUNCE_AFTER_MS);
    waiting.add(channel);
  };
}
