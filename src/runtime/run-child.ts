import { createApp } from '../app';
import type { Config } from '../config';
import type { MessageChannel } from '../store';
import type { ServiceLog } from '../telemetry';
import { serviceAddress } from './announce-start';
import type { ChildKind, FromChild, ToChild } from './messages';
import { stopApp } from './stop-app';

/** New messages are told of after this time, all of a channel at once: one by one would cost each request. */
const ANNOUNCE_AFTER_MS = 20;

/** One process of several: answers requests, or delivers. The primary process says when it is to stop. */
export async function runChild(kind: ChildKind, config: Config, log: ServiceLog): Promise<void> {
  const role = kind === 'web' ? 'web' : 'worker';
  const app = await createApp({ ...config, ROLE: role }, log, announcer());

  // A terminal's Ctrl-C and some supervisors signal every process; the order is the primary's. When that is gone,
  // node:cluster ends this process.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  process.on('message', (message: ToChild) => {
    switch (message.kind) {
      case 'stop':
        void stopApp(app, config, log);
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

  const { PORT: port, HOST: host } = config;
  const listensOn = kind === 'web' ? await app.endpoints.listen({ port, host }, 'PORT') : 0;
  app.delivery.start();
  const services = app.services.map(({ name, path }) => ({ name, path }));
  const examples = app.examples(serviceAddress(config, listensOn));
  tellPrimary({ kind: 'ready', port: listensOn, services, examples });
}

function tellPrimary(message: FromChild): void {
  if (process.connected) process.send?.(message);
}

function announcer(): (channel: MessageChannel) => void {
  const waiting = new Set<MessageChannel>();
  const announce = (): void => {
    for (const channel of waiting) tellPrimary({ kind: 'new-message', channel });
    waiting.clear();
  };
  return (channel) => {
    if (waiting.size === 0) setTimeout(announce, ANNOUNCE_AFTER_MS);
    waiting.add(channel);
  };
}
