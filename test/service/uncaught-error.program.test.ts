import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { useServices } from './use-services';

describe('an unhandled error', () => {
  const services = useServices();

  it.each([
    ['thrown', 'throw new Error("boom")', 'uncaughtException'],
    ['rejected', 'void Promise.reject(new Error("boom"))', 'unhandledRejection'],
  ])('that is %s ends the service with exit code 1 and a final log line', async (how, code, origin) => {
    const file = join(services.folder, `${how}.cjs`);
    writeFileSync(file, `process.on('SIGUSR2', () => { ${code}; });`);
    const service = await services.start({ settings: { NODE_OPTIONS: `--require ${file}` } });
    service.signal('SIGUSR2');
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    const line = await service.line('unhandled error, stopping the service', { level: 'fatal', origin });
    expect(line['err']).toMatchObject({ type: 'Error', message: 'boom' });
  });
});
