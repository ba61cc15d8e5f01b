import { createServer } from 'node:http';

import { endServer, listen } from '../../scripts/harness';
import { useServices } from './use-services';

describe('62 A program that cannot start', () => {
  const services = useServices();

  it('says why in one line, after the lines of its log, and ends with exit code 1 without listening', async () => {
    const other = createServer();
    const port = await listen(other);
    const service = services.spawn({ settings: { PORT: String(port) } });
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    expect(service.output).not.toContain('listening');
    expect(service.output).toContain('SMS are not sent (SMS_CHANNEL=file)');
    expect(service.errors).toMatch(/^Error: [^\n]*PORT[^\n]+\n$/);
    await endServer(other);
  });
});
