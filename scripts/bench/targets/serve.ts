import type { Server } from 'node:http';

/** Listens on a free port, says where, and ends with SIGTERM. */
export function serve(server: Server): void {
  server.listen({ port: 0, host: '127.0.0.1' }, () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no TCP port.');
    console.error(`Listening on http://127.0.0.1:${String(address.port)}`);
  });
  process.once('SIGTERM', () => {
    process.exit();
  });
}
