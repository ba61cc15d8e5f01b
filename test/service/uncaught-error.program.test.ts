import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { get, withHeaders } from '../../scripts/harness';
import { loadedModules } from '../harness/loaded-modules';
import { useServices } from './use-services';

describe('a service with an unhandled error', () => {
  const services = useServices();
  const report = join(services.folder, 'loaded');

  // Node.js reports a thrown error in the same way, with another origin.
  it('ends with exit code 1 and a final log line', async () => {
    const file = join(services.folder, 'rejected.cjs');
    writeFileSync(file, "process.on('SIGUSR2', () => void Promise.reject(new Error('boom')));");
    const service = await services.start({
      settings: { NODE_OPTIONS: `--require "${file}"`, NODE_V8_COVERAGE: report },
    });
    const code = get('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233');
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await service.ask(withHeaders(code, ['traceparent', trace]));
    await service.line('message', { channel: 'sms', state: 'written' });
    service.signal('SIGUSR2');
    expect(await service.ended()).toEqual({ code: 1, signal: null });
    const fields = { level: 'fatal', origin: 'unhandledRejection' };
    const line = await service.line('unhandled error, stopping the service', fields);
    expect(line['err']).toMatchObject({ type: 'Error', message: 'boom' });
  });

  it('had not loaded OpenTelemetry, without a collector', () => {
    const modules = loadedModules(report);
    expect(modules).toContain('src/telemetry/tracing.ts');
    // prom-client brings the api itself.
    expect(modules.filter((path) => /@opentelemetry\/(?!api\/)/.test(path))).toEqual([]);
  });
});
