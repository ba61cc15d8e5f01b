import { createApp } from '../app';
import type { Config } from '../config';
import type { ServiceLog } from '../telemetry';
import { announceStart, listenForOperator, serviceAddress } from './announce-start';
import { onSignals } from './on-signals';
import { stopApp } from './stop-app';

/** The whole service in this process. */
export async function runAlone(config: Config, log: ServiceLog): Promise<void> {
  const app = await createApp(config, log);
  const adminPort = await listenForOperator(app.admin, config);
  const port = await app.endpoints.listen({ port: config.PORT, host: config.HOST }, 'PORT');
  const examples = app.examples(serviceAddress(config, port));
  announceStart({ port, adminPort, services: app.services, examples }, config, log);
  app.delivery.start();
  onSignals(log, () => void stopApp(app, config, log));
}
