import { join } from 'node:path';

import { get, withHeaders } from '../../../scripts/harness';
import { FakeProvider } from '../../../scripts/harness/delivery';
import { FEATURES } from '../../../src/features';
import { useProvider } from '../../delivery/use-provider';
import { collectedSpans } from './collected-spans';
import { useServicesHere } from '../../service/use-services-here';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const PARENT = ['traceparent', `00-${TRACE}-${CALLER}-01`] as const;
const STATE = ['tracestate', 'vendor=1'] as const;

const TOKEN = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');

// The old server belongs to another feature.
const describeBehind = 'migration' in FEATURES ? describe : describe.skip;

describeBehind('a trace', () => {
  const services = useServicesHere();
  const provider = useProvider();
  let collector: FakeProvider;
  beforeEach(async () => {
    collector = await new FakeProvider().start();
  });
  afterEach(() => collector.stop());

  it('continues to an old server that answers a call', async () => {
    const service = await services.start({
      settings: {
        DATA_DIR: join(services.folder, 'proxy'),
        OLD_URL: provider().url,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      },
    });
    await service.ask(withHeaders(TOKEN, PARENT, STATE));
    await service.ask(withHeaders(get('NoSuchService', 'None', ''), PARENT));
    provider().next.push('resets after reading');
    await service.ask(TOKEN);
    expect(await service.line('forwarded', { operation: 'GetTokenDevice' })).toMatchObject({
      traceId: TRACE,
    });
    await service.stop();

    const [answered, unknown, failed] = collectedSpans(collector.received);
    expect(answered).toMatchObject({
      ...{ name: 'GetTokenDevice get', kind: 2, traceId: TRACE, parentSpanId: CALLER, failed: false },
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'rpc.method': 'GetTokenDevice',
        'service.binding': 'get',
        'service.outcome': 'answered',
      },
    });
    expect(unknown).toMatchObject({ name: 'request', traceId: TRACE });
    expect(failed).toMatchObject({ failed: true, attributes: { 'error.type': 'unreachable' } });
    expect(failed?.parentSpanId).toBeUndefined();
    const traced = provider().received.map(({ headers }) => headers);
    expect(traced.map((headers) => headers['traceparent'])).toEqual(
      [answered, unknown, failed].map((span) => `00-${span?.traceId ?? ''}-${span?.spanId ?? ''}-01`),
    );
    expect(traced.map((headers) => headers['tracestate'])).toEqual(['vendor=1', undefined, undefined]);
  });

  it('is passed unchanged to an old server, without a collector', async () => {
    const service = await services.start({
      settings: { DATA_DIR: join(services.folder, 'proxy'), OLD_URL: provider().url },
    });
    await service.ask(withHeaders(TOKEN, PARENT, STATE));
    await service.ask(TOKEN);
    await service.stop();
    const [traced, untraced] = provider().received;
    expect(traced?.headers).toMatchObject({ traceparent: PARENT[1], tracestate: STATE[1] });
    expect(untraced?.headers).not.toHaveProperty('traceparent');
  });
});
