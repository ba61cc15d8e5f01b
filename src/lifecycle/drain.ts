import { once } from 'node:events';
import type { Server } from 'node:http';

const SWEEP_INTERVAL_MS = 50;

/**
 * Stops accepting connections, lets every request that has begun be answered, and closes the connections.
 *
 * @param withinMs - after this time what is still open is cut
 * @returns whether something had to be cut
 */
export async function drain(server: Server, withinMs: number): Promise<boolean> {
  // Callers that send one more request over a kept connection are told that it was the last one.
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const closed = once(server, 'close');
  server.close();
  // close() takes the connections that are idle now; those that become so are swept.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, SWEEP_INTERVAL_MS);
  let cut = false;
  const deadline = setTimeout(() => {
    cut = true;
    server.closeAllConnections();
  }, withinMs);

  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
  return cut;
}
