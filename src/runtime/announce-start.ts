import type { ExampleCommand } from '../asmx';
import type { Config } from '../config';
import type { ServiceLog } from '../telemetry';
import { greeting } from './greeting';
import type { Listener } from './listener';

export interface Started {
  /** Port of the service. */
  readonly port: number;
  /** Port of the operator's pages, or undefined. */
  readonly adminPort: number | undefined;
  readonly services: readonly { readonly name: string; readonly path: string }[];
  readonly examples: readonly ExampleCommand[];
}

/** Listens for the operator, if that is wanted, and returns the port. */
export async function listenForOperator(admin: Listener, config: Config): Promise<number | undefined> {
  if (config.ADMIN_PORT === undefined) return undefined;
  return admin.listen({ port: config.ADMIN_PORT, host: config.ADMIN_HOST }, 'ADMIN_PORT');
}

/** Says in the log and to people that the service is up, and where. */
export function announceStart(
  { port, adminPort, services, examples }: Started,
  config: Config,
  log: ServiceLog,
): void {
  const address = serviceAddress(config, port);
  const adminAddress = adminPort === undefined ? undefined : httpAddress(config.ADMIN_HOST, adminPort);
  const endpoints = services.map(({ path }) => `${address}${path}`);
  log.logger.info({ port, endpoints, adminAddress }, 'listening; SIGTERM or SIGINT stops the service');
  // For people, and therefore not between the log's lines on standard output.
  console.error(greeting({ services, address, examples, adminAddress }));
}

/** Where callers reach the service. */
export function serviceAddress({ BASE_URL, HOST }: Config, port: number): string {
  return BASE_URL ?? httpAddress(HOST, port);
}

function httpAddress(host: string | undefined, port: number): string {
  const shown = host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${String(port)}`;
}
