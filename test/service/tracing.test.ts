import { join } from 'node:path';

import { call, envelope11, form, soap11, withHeaders } from '../../scripts/harness';
import { providerSettings } from '../../scripts/harness/delivery';
import { useProvider } from '../delivery/use-provider';
import { useServicesHere } from './use-services-here';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const PARENT = ['traceparent', `00-${TRACE}-${CALLER}-01`] as const;
const STATE = ['tracestate', 'vendor=1'] as const;

const CODE = soap11(
  'AuthCodeSending',
  'AuthCode',
  envelope11(call('AuthCode', { code: '84021', phone: '+905551112233' })),
);
const OTHER_CODE = form('AuthCodeSending', 'AuthCode', 'code=84022&phone=%2B905551112244');

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
