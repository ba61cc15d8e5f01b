import { get, withHeaders } from '../../../scripts/harness';
import { FakeProvider, markRequest, providerSettings } from '../../../scripts/harness/delivery';
import { useProvider } from '../../delivery/use-provider';
import { type CollectedSpan, collectedSpans } from './collected-spans';
import { PROCESS_COUNTS, useServicesEitherWay } from '../../service/use-services-here';
import { CALLER, CODE, OTHER_CODE, PARENT, STATE, TRACE } from '../../service/traced-calls';

const TOKEN = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');
const NOTE = markRequest(1);

describe.each(PROCESS_COUNTS)('a trace, with %s processes', (PROCESSES) => {
  const services = useServicesEitherWay();
  const provider = useProvider();
  let collector: FakeProvider;
  beforeEach(async () => {
    collector = await new FakeProvider().start();
  });
  afterEach(() => collector.stop());

  const settings = () => providerSettings(services.folder, provider().url);

  it('leads from the caller through the processes and the store to the provider', async () => {
    const service = await services.start({
      settings: { ...settings(), PROCESSES, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    await service.ask(withHeaders(CODE, PARENT, STATE));
    await service.ask(withHeaders(OTHER_CODE, ['traceparent', `00-${TRACE}-${CALLER}-zz`]));
    await service.ask(TOKEN);
    await service.ask(withHeaders(NOTE, PARENT));
    await service.line('message', { channel: 'push', state: 'sent', traceId: TRACE });
    await service.line('message', { channel: 'sms', state: 'sent', traceId: TRACE });
    expect(await service.line('request', { operation: 'AuthCode', binding: 'soap11' })).toMatchObject({
      traceId: TRACE,
    });
    const { traceId } = await service.line('request', { operation: 'AuthCode', binding: 'post' });
    await service.line('message', { channel: 'sms', state: 'sent', traceId });
    await service.stop();

    const spans = collectedSpans(collector.received);
    const named = (name: string): readonly CollectedSpan[] => spans.filter((span) => span.name === name);
    const [soap] = named('AuthCode soap11');
    expect(soap).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, traceState: 'vendor=1', kind: 2 });
    const [post] = named('AuthCode post');
    expect(post).toMatchObject({ traceId });
    expect(post?.parentSpanId).toBeUndefined();
    expect(named('GetTokenDevice get')).toHaveLength(1);

    const ofSoap = named('send sms').find(({ parentSpanId }) => parentSpanId === soap?.spanId);
    // The gateway's name in GATEWAYS_FILE.
    const attributes = { 'service.transport': 'gateway' };
    expect(ofSoap).toMatchObject({ traceId: TRACE, kind: 3, attributes });
    // With several processes, another one delivers.
    const isSame = ofSoap?.resource['service.instance.id'] === soap?.resource['service.instance.id'];
    expect(isSame).toBe(PROCESSES === '1');
    const [note] = named('SendMarkNotes get');
    const pushes = named('send push');
    expect(pushes.length).toBeGreaterThan(0);
    expect(new Set(pushes.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([note?.spanId]));

    const requests = provider().received.map(({ headers }) => headers);
    expect(requests.map((headers) => headers['traceparent'])).toEqual(
      expect.arrayContaining(
        [...named('send sms'), ...pushes].map((span) => `00-${span.traceId}-${span.spanId}-01`),
      ),
    );
    expect(requests.map((headers) => headers['tracestate'])).toContain('vendor=1');
    // Times in nanoseconds and random identifiers have these digits too, by chance.
    const sent = collector.received
      .map(({ body }) =>
        body.replaceAll(/"(?:\w+TimeUnixNano":"\d+|\w*[sS]panId":"[\da-f]+|traceId":"[\da-f]+)"/g, ''),
      )
      .join('\n');
    expect(sent).toContain('http.route');
    expect(sent).not.toMatch(/84021|84022|5551112|DEV-|sample-token|school\.example|N1/);
  });
});
