import { once } from 'node:events';
import { createServer } from 'node:net';

/** Something that counts who connects to it. */
export async function listen(): Promise<{ url: string; connections: () => number; close: () => void }> {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return {
    url: `http://127.0.0.1:${String(address.port)}/`,
    connections: () => connections,
    close: () => listener.close(),
  };
}
