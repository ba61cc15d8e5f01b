import type { ExampleCommand } from '../asmx';
import type { Config } from '../config';
import type { ServiceLog } from '../telemetry';

/** What a process serves, as it is shown to people. */
export interface Served {
  /** Port of the service; 0 from a process that does not listen. */
  readonly port: number;
  readonly services: readonly { readonly name: string; readonly path: string }[];
  /** Lines to try, ready for a shell, each with its title. */
  readonly examples: readonly ExampleCommand[];
  /** Names that the service's certificate is for; undefined where it speaks no TLS. */
  readonly certificateNames: readonly string[] | undefined;
  /** Port without TLS beside the one with it, or undefined. */
  readonly plainPort: number | undefined;
}

/**
 * Says in the log and to people that the service is up, and where.
 *
 * @param adminPort - port of the operator's pages, or undefined
 */
export function announceStart(
  served: Served,
  adminPort: number | undefined,
  config: Config,
  log: ServiceLog,
): void {
  const { port, plainPort, services } = served;
  const address = serviceAddress(config, port);
  const adminAddress = adminPort === undefined ? undefined : addressOf('http', config.ADMIN_HOST, adminPort);
  const endpoints = services.map(({ path }) => `${address}${path}`);
  log.logger.info(
    { port, plainPort, endpoints, adminAddress },
    'listening; SIGTERM or SIGINT stops the service',
  );
  // For people, and therefore not between the log's lines on standard output.
  console.error(greeting(served, address, adminAddress));
}

/** Where callers reach the service. */
export function serviceAddress({ BASE_URL, HOST, TLS_CERT_FILE }: Config, port: number): string {
  return BASE_URL ?? addressOf(TLS_CERT_FILE === undefined ? 'http' : 'https', HOST, port);
}

function addressOf(scheme: 'http' | 'https', host: string | undefined, port: number): string {
  const shown = host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${shown}:${String(port)}`;
}

/**
 * What a person who has started the service in a terminal wants to know: where it is, and how to try it.
 *
 * @param address - where callers reach the service, without a slash at the end
 * @param adminAddress - where the operator reaches the console, or undefined
 */
export function greeting(
  { services, examples, certificateNames }: Omit<Served, 'port' | 'plainPort'>,
  address: string,
  adminAddress: string | undefined,
): string {
  const width = Math.max(...services.map(({ name }) => name.length));
  return [
    `The service listens on ${address}`,
    ...services.map(({ name, path }) => `  ${name.padEnd(width)}  ${address}${path}`),
    ...(services.length === 0
      ? ['It delivers messages, and answers no operations (ROLE=worker).']
      : tries(examples)),
    ...(certificateNames === undefined
      ? []
      : [
          `Its certificate is for ${certificateNames.join(', ')}; where curl does not know its issuer: --cacert FILE.`,
        ]),
    adminAddress === undefined
      ? 'The operator’s pages are off.'
      : `The operator’s console: ${adminAddress}/ (metrics: ${adminAddress}/metrics)`,
    'Stop it with Ctrl-C.',
  ].join('\n');
}

function tries(examples: Served['examples']): readonly string[] {
  const width = Math.max(...examples.map(({ title }) => title.length));
  return [
    'Try it, binding by binding:',
    ...examples.map(({ title, command }) => `  ${title.padEnd(width)}  ${command}`),
  ];
}
