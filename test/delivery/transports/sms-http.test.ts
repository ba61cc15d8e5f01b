import { freePort } from '../../../scripts/harness';
import { SearchPattern } from '../../../src/config';
import { smsHttpTransport, type SmsHttpOptions } from '../../../src/delivery/transports/sms-http';
import {
  AWKWARD_SMS,
  describeTransport,
  expectNoPersonalData,
  JSON_GATEWAY,
  patience,
  SMS,
} from './transport-kit';
import type { Behaviour } from '../../../scripts/harness/delivery';
import { useProvider } from '../use-provider';

describe('the SMS gateway by HTTP', () => {
  afterEach(() => jest.restoreAllMocks());
  const provider = useProvider();
  const make = (options: Partial<SmsHttpOptions> = {}) =>
    smsHttpTransport({ ...JSON_GATEWAY, url: provider().url, ...options });
  const send = async (options: Partial<SmsHttpOptions> = {}, message = SMS) => {
    const transport = make(options);
    const outcome = await transport.send(message, patience(provider()));
    await transport.close();
    expectNoPersonalData(outcome);
    return outcome;
  };

  describeTransport(make, [SMS, AWKWARD_SMS]);

  it.each([200, 400, 503])(
    'takes what matches SMS_HTTP_BUSY for too much at once, with status %d',
    async (status) => {
      const busy = new SearchPattern('"status":"1"');
      const headers = { 'Content-Type': 'application/json', 'Retry-After': '7' };
      provider().next.push({ status, headers, body: '{"status":"1"}' });
      expect(await send({ busy, success: new SearchPattern('.') })).toEqual({
        kind: 'busy',
        reason: { code: 'provider_busy', status, detail: '1' },
        retryAfterMs: 7000,
        status,
      });
      provider().next.push({ status: 200, body: '{"status":"0"}' });
      expect(await send({ busy })).toMatchObject({ kind: 'sent' });
    },
  );

  it('tells the gateway how long the code is valid, and never less than gateways take', async () => {
    const body = '{"s":{lifeSeconds},"ms":{lifeMilliseconds}}';
    await send({ body }, { ...SMS, lifeMs: 299_999.5 });
    await send({ body }, { ...SMS, lifeMs: 3 });
    expect(provider().received.map((request) => request.body)).toEqual([
      '{"s":299,"ms":299999}',
      '{"s":20,"ms":20000}',
    ]);
  });

  it.each([
    ['a type that it does not know', { 'Content-Type': 'text/csv' }],
    ['no type', {}],
  ])('is refused where values would stand unescaped in a body of %s', (_what, headers) => {
    expect(() => make({ headers })).toThrow('SMS_HTTP_BODY holds values that are not escaped');
    expect(() => make({ headers, method: 'GET' })).not.toThrow();
    expect(() => make({ headers, body: 'ping' })).not.toThrow();
  });

  it('tells the gateway what a message is a part of, and nothing where that is not known', async () => {
    await send({}, { ...SMS, trace: { traceparent: '00-1-2-01', tracestate: 'a=1' } });
    await send({}, { ...SMS, trace: { traceparent: '00-1-3-01' } });
    await send();
    const headers = provider().received.map((request) => request.headers);
    expect(headers.map(({ traceparent }) => traceparent)).toEqual(['00-1-2-01', '00-1-3-01', undefined]);
    expect(headers.map(({ tracestate }) => tracestate)).toEqual(['a=1', undefined, undefined]);
    expect(headers[0]).toMatchObject({ 'content-type': 'application/json' });
  });

  it.each<readonly [string, Behaviour, object]>([
    ['200', { status: 200, body: 'ok' }, { kind: 'sent' }],
    ['201 with its own id', { status: 201, body: '{"sid":"SM1"}' }, { kind: 'sent', providerId: 'SM1' }],
    [
      '400',
      { status: 400, body: '{"code":21211,"to":"+905551112233"}' },
      { kind: 'refused', reason: { code: 'provider_rejected', status: 400, detail: '21211' } },
    ],
    ['401', { status: 401 }, { kind: 'refused', reason: { code: 'credentials_rejected', status: 401 } }],
    ['404', { status: 404 }, { kind: 'refused' }],
    ['a redirect', { status: 302, headers: { Location: 'http://169.254.169.254/' } }, { kind: 'refused' }],
    ['429', { status: 429, headers: { 'Retry-After': '7' } }, { kind: 'busy', retryAfterMs: 7000 }],
    ['500', { status: 500 }, { kind: 'failing' }],
    [
      '503 that asks to wait',
      { status: 503, headers: { 'Retry-After': '2' } },
      { kind: 'failing', retryAfterMs: 2000 },
    ],
    // Written it was; whether it was read, only the provider knows.
    ['a reset before the request was read', 'resets before reading', { kind: 'unknown' }],
    ['a reset after the request was read', 'resets after reading', { kind: 'unknown' }],
    ['silence', 'never answers', { kind: 'unknown', reason: { code: 'provider_timeout' } }],
  ])('takes %s for what it means', async (_what, behaviour, outcome) => {
    provider().next.push(behaviour);
    const success =
      typeof behaviour === 'object' && behaviour.status === 201
        ? new SearchPattern('"sid":"(?<id>\\w+)"')
        : undefined;
    const { status } = typeof behaviour === 'object' ? behaviour : {};
    expect(await send({ success })).toMatchObject({ ...outcome, ...(status !== undefined && { status }) });
    expect(provider().received).toHaveLength(behaviour === 'resets before reading' ? 0 : 1);
  });

  it('waits until the moment that Retry-After names, and not at all for one that has passed or is none', async () => {
    const retryAfter = async (value: string) => {
      provider().next.push({ status: 503, headers: { 'Retry-After': value } });
      const outcome = await send();
      return outcome.kind === 'failing' ? outcome.retryAfterMs : outcome;
    };
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-03-02T10:00:00Z'));
    expect(await retryAfter('Mon, 02 Mar 2026 10:01:30 GMT')).toBe(90_000);
    expect(await retryAfter('Mon, 02 Mar 2026 09:00:00 GMT')).toBe(0);
    expect(await retryAfter('soon')).toBeUndefined();
  });

  it('refuses what is answered with 200 and an error inside, by the success rule', async () => {
    provider().next.push({ status: 200, body: '{"status":"4","error-text":"+905551112233 is bad"}' });
    expect(await send({ success: new SearchPattern('"status":"0"') })).toEqual({
      kind: 'refused',
      reason: { code: 'success_missing', status: 200, detail: '4' },
      status: 200,
    });
  });

  it.each([
    '{"error":"905551112233 is invalid"}',
    '{"code":"5551112233"}',
    '{"status":"00905551112233"}',
    '{"status":"90.555-111.22.33"}',
    '{"code":"2233"}',
    '{"code":233}',
    '{"code":"1234567"}',
    '{"error":"84021"}',
  ])('takes nothing personal for the code of an error: %s', async (body) => {
    provider().next.push({ status: 400, body });
    const reason = { code: 'provider_rejected', status: 400 };
    expect(await send()).toEqual({ kind: 'refused', reason, status: 400 });
  });

  it('does not know of an answer that is cut off, where the rule needs all of it', async () => {
    provider().next.push({ status: 200, cutAfter: '{"sta' }, { status: 200, cutAfter: '{"sta' });
    expect(await send({ success: new SearchPattern('"status":"0"') })).toMatchObject({ kind: 'unknown' });
    expect(await send()).toEqual({ kind: 'sent', status: 200 });
  });

  it('knows that nothing was sent where nobody listens', async () => {
    const url = `http://127.0.0.1:${String(await freePort())}/`;
    expect(await send({ url })).toEqual({
      kind: 'failing',
      reason: { code: 'connection_failed', error: 'ECONNREFUSED' },
    });
  });

  it.each([
    [
      'JSON',
      'application/json',
      '{"to":"{phone}","text":"{text}"}',
      (body: string): unknown => JSON.parse(body),
    ],
    [
      'a form',
      'application/x-www-form-urlencoded',
      'to={phone}&text={text}',
      (body: string): unknown => Object.fromEntries(new URLSearchParams(body)),
    ],
  ])('writes values so into %s that they arrive as they are', async (_what, type, body, read) => {
    await send({ headers: { 'Content-Type': type }, body }, AWKWARD_SMS);
    expect(read(provider().received[0]?.body ?? '')).toEqual({
      to: AWKWARD_SMS.phone,
      text: AWKWARD_SMS.text,
    });
  });

  it('writes values into XML and into the address', async () => {
    const url = `${provider().url}/send?to={digits}&text={text}`;
    await send({ url, method: 'GET' }, { ...SMS, text: 'a&b=ş' });
    await send({ headers: { 'content-type': 'text/xml' }, body: '<t>{text}</t>' }, { ...SMS, text: '<&"' });
    const [get, xml] = provider().received;
    expect(get).toMatchObject({ method: 'GET', path: '/send?to=905551112233&text=a%26b%3D%C5%9F', body: '' });
    expect(xml?.body).toBe('<t>&lt;&amp;&quot;</t>');
  });

  it('shows who it is, by basic authentication or a bearer token', async () => {
    await send({ user: 'AC1', password: 's:ecret' });
    await send({ bearerToken: 'token-1' });
    // The token is what the gateway gave last: it wins.
    await send({ bearerToken: 'token-1', user: 'AC1', password: 's:ecret' });
    expect(provider().received.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from('AC1:s:ecret').toString('base64')}`,
      'Bearer token-1',
      'Bearer token-1',
    ]);
  });

  it.each([
    [{ body: '{"to":"{telephone}"}' }, 'SMS_HTTP_BODY cannot be used: it has {telephone}'],
    [{ url: 'http://gateway.example/{code}' }, 'SMS_HTTP_URL cannot be used: it has {code}'],
    [{ headers: { 'X-Text': '{text}' } }, 'SMS_HTTP_HEADERS cannot be used: it has {text}'],
  ])('is not made of %j', (options, message) => {
    expect(() => make(options)).toThrow(message);
  });
});
