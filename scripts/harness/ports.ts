import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Lets a server listen on a port of this machine, by default a free one, and returns the port. */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}

/** Returns the port on which a server listens. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port; // A listening TCP server has an address of this kind.
}

/** Ends a server that listens, and the connections that one of HTTP still has. */
export async function endServer(server: Server & { closeAllConnections?(): void }): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections?.();
  await closed;
}

/** A port where connections are refused. A free one is not: another test may be given it meanwhile. */
export const CLOSED_PORT = 1;

/** Below the ports that Linux uses for outgoing connections, which might take one before its program listens. */
const FREE_PORTS = { from: 20_000, to: 32_767 };

/** Returns a port of this machine on which a program that is started now can listen. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    try {
      const port = await listen(server, randomInt(FREE_PORTS.from, FREE_PORTS.to + 1));
      await endServer(server);
      return port;
    } catch {
      // In use: try another one.
    }
  }
}
