import { join } from 'node:path';

import { withHeaders } from '../../scripts/harness';
import { providerSettings } from '../../scripts/harness/delivery';
import { useProvider } from '../delivery/use-provider';
import { useServicesHere } from './use-services-here';
import { CODE, OTHER_CODE, PARENT, STATE, TRACE } from './traced-calls';

describe('a trace', () => {
  const services = useServicesHere();
  const provider = useProvider();

  const settings = () => providerSettings(services.folder, provider().url);

  it('is passed on without a collector', async () => {
    const service = await services.start({
      settings: { ...settings(), DATA_DIR: join(services.folder, 'other') },
    });
    await service.ask(withHeaders(CODE, PARENT, STATE));
    await service.line('request', { operation: 'AuthCode', traceId: TRACE });
    const [received] = await provider().receives(1);
    expect(received?.headers).toMatchObject({ traceparent: PARENT[1], tracestate: STATE[1] });
    expect(await service.line('message', { channel: 'sms', state: 'sent' })).toMatchObject({
      traceId: TRACE,
    });

    await service.ask(OTHER_CODE);
    const [, untold] = await provider().receives(2);
    expect(untold?.headers).not.toHaveProperty('traceparent');
    expect(await service.line('request', { binding: 'post' })).not.toHaveProperty('traceId');
    await service.stop();
  });
});
