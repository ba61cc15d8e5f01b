import crypto from 'node:crypto';
import { createServer } from 'node:net';

import { endServer, freePort, listen } from '../../scripts/harness';

describe('a free port', () => {
  it('is none that Linux gives to an outgoing connection', async () => {
    for (let times = 0; times < 20; times += 1) expect(await freePort()).toBeLessThan(32_768);
  });

  it('is none on which a server listens', async () => {
    const server = createServer();
    const taken = await listen(server);
    const chosen = jest.spyOn(crypto, 'randomInt').mockImplementationOnce(() => taken);
    try {
      expect(await freePort()).not.toBe(taken);
      expect(chosen).toHaveBeenCalledTimes(2);
    } finally {
      chosen.mockRestore();
      await endServer(server);
    }
  });
});
