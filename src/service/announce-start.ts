import type { ExampleCommand } from '../asmx/internal';
import type { Config } from '../config';
import { type LoadedSchools, findLoadedSchools, SAMPLE_DEVICE } from '../admin/alerts/snapshot';
import type { Store } from '../store';
import type { ServiceLog } from '../telemetry';
import { PROGRAM_NAME, SAMPLE_START } from '../support/program-name';

export interface Served {
  /** Port of the service; 0 for a process that does not listen. */
  readonly port: number;
  readonly services: readonly { readonly name: string; readonly path: string }[];
  /** Commands to try in a shell, each with a title. */
  readonly examples: readonly ExampleCommand[];
  /** Names in the service's certificate; undefined without TLS. */
  readonly certificateNames: readonly string[] | undefined;
  /** Plain port beside the TLS port, or undefined. */
  readonly plainPort: number | undefined;
}

/** @param adminPort - port of the console, or undefined */
export async function announceStart(
  served: Served,
  adminPort: number | undefined,
  store: Store,
  config: Config,
  log: ServiceLog,
): Promise<void> {
  const { port, plainPort, services } = served;
  const address = serviceAddress(config, port);
  const adminAddress =
    adminPort === undefined ? undefined : addressText('http', config.ADMIN_HOST, adminPort);
  const endpoints = services.map(({ path }) => `${address}${path}`);
  // The greeting says the same to people, below the lines so far.
  if (log.isTerminal) log.flushNow();
  else
    log.logger.info({ port, plainPort, endpoints, adminAddress }, 'listening; stop with SIGTERM or SIGINT');
  // From here on, a failing database is logged, and is no reason to stop what has started.
  const loadedSchools = await findLoadedSchools(store).catch(() => 'others' as const);
  // This is for people, so it must not be mixed with the log on standard output.
  console.error(greeting(served, address, adminAddress, loadedSchools));
}

export function serviceAddress({ BASE_URL, HOST, TLS_CERT_FILE }: Config, port: number): string {
  return BASE_URL ?? addressText(TLS_CERT_FILE === undefined ? 'http' : 'https', HOST, port);
}

function addressText(scheme: 'http' | 'https', host: string | undefined, port: number): string {
  const shown = host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${shown}:${String(port)}`;
}

/**
 * Returns a text for a person who started the service in a terminal: its addresses, and commands to try.
 *
 * @param address - address for callers, without a trailing slash
 * @param adminAddress - address of the console, or undefined
 * @param holdings - content of the database
 */
export function greeting(
  { services, examples, certificateNames }: Omit<Served, 'port' | 'plainPort'>,
  address: string,
  adminAddress: string | undefined,
  holdings: LoadedSchools,
): string {
  const width = Math.max(...services.map(({ name }) => name.length));
  return [
    `Listening on ${address}`,
    ...services.map(({ name, path }) => `  ${name.padEnd(width)}  ${address}${path}`),
    ...(services.length === 0
      ? ['Delivers messages only; operations are off (ROLE=worker).']
      : holdings === 'nothing'
        ? firstSteps(services, address)
        : tries(examples, holdings)),
    ...(certificateNames === undefined
      ? []
      : [`Certificate for ${certificateNames.join(', ')}. If curl does not trust it, add --cacert FILE.`]),
    adminAddress === undefined
      ? 'The console is off.'
      : `Console: ${adminAddress}/ (metrics: ${adminAddress}/metrics)`,
    'Press Ctrl-C to stop.',
  ].join('\n');
}

/** Returns advice for an empty database, in which operations would find nothing. */
function firstSteps(services: Served['services'], address: string): readonly string[] {
  const [service] = services.toReversed();
  return [
    'The database is empty.',
    `  Load school data:          ${PROGRAM_NAME} import FOLDER`,
    `  Or try the sample school:  ${SAMPLE_START}`,
    `  Service description:       curl "${address}${service?.path ?? ''}?WSDL"`,
  ];
}

function tries(examples: Served['examples'], holdings: Exclude<LoadedSchools, 'nothing'>): readonly string[] {
  const width = Math.max(...examples.map(({ title }) => title.length));
  return [
    holdings === 'sample'
      ? 'Examples for each binding:'
      : `Examples for each binding (replace ${SAMPLE_DEVICE} by one of your devices):`,
    ...examples.map(({ title, command }) => `  ${title.padEnd(width)}  ${command}`),
  ];
}
