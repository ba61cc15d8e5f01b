import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import pino from 'pino';

import { exchange } from '../../scripts/harness';
import { loadConfig } from '../../src/config';
import { AdminLogin } from '../../src/admin/login/admin-login';
import { openAdminPort } from '../../src/service/admin-port';
import { Metrics } from '../../src/telemetry';
import { flood, MAX_SENT_BYTES } from '../harness/endless-body';

describe('the admin port', () => {
  const sockets: Socket[] = [];
  let admin: Awaited<ReturnType<typeof openAdminPort>> | undefined;
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await admin?.listener.drain(0);
  });

  async function open(settings: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
    const config = loadConfig({ ADMIN_PORT: '0', ...settings });
    const logger = pino({ level: 'silent' });
    admin = await openAdminPort(new Metrics(), config, new AdminLogin(config, logger), logger);
    return admin.port;
  }

  it('is not opened if it is off', async () => {
    expect(await open({ ADMIN_PORT: 'off' })).toBeUndefined();
  });

  it('accepts 64 connections, and closes further ones until there is room', async () => {
    const port = (await open()) ?? 0;
    for (let count = 0; count < 64; count += 1) {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const oneMore = connect(port, '127.0.0.1');
    sockets.push(oneMore);
    await once(oneMore, 'close');
    const first = sockets.shift();
    first?.destroy();
    // The server hears of it a moment later.
    let status: number | undefined;
    const look = async (): Promise<number> => (await exchange(port, { path: '/metrics' })).status;
    while (status === undefined) status = await look().catch(() => undefined);
    expect(status).toBe(200);
  });

  it.each([
    ['for an unknown path', 'POST /nothing'],
    ['for a page', 'GET /metrics'],
  ])('cuts off an endless body %s', async (_what, start) => {
    const port = (await open()) ?? 0;
    const head = `${start} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked`;
    const { sent, answer } = await flood(port, head);
    expect(answer).toMatch(/^HTTP\/1\.1 (?:200|404) /);
    expect(sent).toBeLessThan(MAX_SENT_BYTES);
  });
});
