import { useServicesHere } from '../../service/use-services-here';

describe('a service whose BACKUP_FOLDER cannot be written to', () => {
  const services = useServicesHere();

  it('logs why there is no backup, and goes on', async () => {
    const service = await services.start({ settings: { BACKUP_FOLDER: '/proc/nowhere' } });
    const { reason } = await service.line('database backup failed');
    expect(reason).toBe('Cannot write to the folder /proc/nowhere (ENOENT).');
    expect((await service.ask({ path: '/readyz' })).status).toBe(200);
  });
});
