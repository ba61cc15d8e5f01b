import { once } from 'node:events';
import type { Server } from 'node:http';

import { StartError } from './start-error';

/** Why an address cannot be listened on, in the operator's words. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'that host name is not known',
};

export interface ListenAddress {
  /** 0 takes a free port. */
  readonly port: number;
  /** Undefined for all interfaces. */
  readonly host: string | undefined;
}

/**
 * Listens, and returns the port.
 *
 * @param setting - name of the setting that holds the port, for the error text
 * @throws StartError where the address cannot be had
 */
export async function listen(
  server: Server,
  { port, host }: ListenAddress,
  setting: string,
): Promise<number> {
  try {
    server.listen({ port, host });
    await once(server, 'listening');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? ''; // What net.Server emits as an error.
    const where = host === undefined ? `port ${String(port)}` : `port ${String(port)} of ${host}`;
    const reason = REASONS[code] ?? String(cause);
    throw new StartError(`Cannot listen on ${where} (${setting}): ${reason}.`, { cause });
  }
  const address = server.address();
  return address === null || typeof address === 'string' ? port : address.port;
}
