// Callers that do not read, before the service as a whole.

import { connect, type Socket } from 'node:net';

import { exchange, formatRequest } from '../../scripts/harness';
import { useServices } from '../service/use-services';
import { useLargeSchool } from './large-school';

const MEGABYTE = 2 ** 20;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

describe('the service', () => {
  const services = useServices();
  const school = useLargeSchool();

  it('answers others, within its memory, while sixty callers do not read their long lists', async () => {
    const settings = { ...school.settings, MAX_BODY_BYTES: String(MEGABYTE) };
    const service = await services.start({ settings });
    const list = school.list(10_000);
    expect((await exchange(service.port, list)).text.length).toBeGreaterThan(MEGABYTE);
    const before = service.usage.residentBytes;
    const asked = formatRequest({ ...list, keepAlive: true }, 'h');
    for (let caller = 0; caller < 60; caller += 1) {
      const client = connect({ port: service.port, host: '127.0.0.1' });
      clients.push(client);
      client.on('error', () => undefined);
      client.write(Buffer.concat(Array.from({ length: 8 }, () => asked)));
    }
    await service.line('callers do not read their responses', { bound: 'unsent' });
    for (let round = 0; round < 50; round += 1) {
      expect((await exchange(service.port, { path: '/healthz' })).status).toBe(200);
    }
    expect(service.usage.residentBytes - before).toBeLessThan(400 * MEGABYTE);
    const lines = await service.lines(
      (all) => all.filter(({ bound }) => bound !== undefined),
      'without its log',
    );
    expect(lines).toHaveLength(1);
  });
});
