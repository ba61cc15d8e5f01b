import { createServer } from 'node:net';

import { listen } from '../../../scripts/harness';

/** Something that counts who connects to it. */
export async function countConnections(): Promise<{
  url: string;
  connections: () => number;
  close: () => void;
}> {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${String(await listen(listener))}/`,
    connections: () => connections,
    close: () => listener.close(),
  };
}
