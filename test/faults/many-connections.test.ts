import { exchange, RawConnection, token11 } from '../../scripts/harness';
import { useServicesHere } from '../service/use-services-here';

describe('the service', () => {
  const services = useServicesHere();

  it('answers while more connections are open than it allows', async () => {
    const service = await services.start({ settings: { MAX_CONNECTIONS: '100' } });
    const idle = await Promise.all(Array.from({ length: 300 }, () => RawConnection.open(service.port)));
    expect((await exchange(service.port, { path: '/healthz' })).status).toBe(200);
    expect((await exchange(service.port, token11('DEV-1'))).status).toBe(200);
    expect((await service.askAdmin({ path: '/metrics' })).status).toBe(200);
    for (const connection of idle) connection.close();
    await service.stop(); // Then it has written all of its log.
    const lines = await service.lines(
      (all) => all.filter(({ bound }) => bound === 'connections'),
      'without its log',
    );
    expect(lines).toHaveLength(1);
  });
});
