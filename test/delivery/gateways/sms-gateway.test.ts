import { createHmac } from 'node:crypto';

import { CLOSED_PORT } from '../../../scripts/harness';
import type { Behaviour } from '../../../scripts/harness/delivery';
import {
  AWKWARD_SMS,
  describeTransport,
  expectNoPersonalData,
  patience,
  SMS,
} from '../transports/transport-kit';
import { useProvider } from '../use-provider';
import { useGateways } from './use-gateways';

/** A description must use both placeholders. */
const BOTH = { headers: { 'X-Both': '{phone} {text}' } };

type Description = Readonly<Record<string, unknown>>;

describe('an SMS gateway', () => {
  afterEach(() => jest.restoreAllMocks());
  const provider = useProvider();
  const open = useGateways();
  const make = (description: Description = {}) => open({ url: provider().url, ...description });
  const send = async (description: Description = {}, message = SMS) => {
    const transport = make(description);
    const outcome = await transport.send(message, patience(provider()));
    await transport.close();
    expectNoPersonalData(outcome);
    return outcome;
  };

  describeTransport(make, [SMS, AWKWARD_SMS]);

  it.each([
    ['accepted', { kind: 'sent' }],
    ['busy', { kind: 'busy', retryAfterMs: 30_000, reason: { code: 'provider_busy', meaning: 'so it is' } }],
    ['retry', { kind: 'failing', retryAfterMs: 30_000, reason: { code: 'provider_failing' } }],
    ['rejected', { kind: 'refused', reason: { code: 'provider_rejected', gateway: 'gateway' } }],
    ['stopped', { kind: 'stopped', reason: { code: 'account_stopped', detail: '1' } }],
    ['unknown', { kind: 'unknown', reason: { code: 'answer_unmatched', status: 200 } }],
  ])('interprets an answer of class %s, whatever its status', async (answer, outcome) => {
    const answers = [
      { status: [200, '5xx'], code: ['9', '1'], class: answer, meaning: 'so it is', pauseSeconds: 30 },
      { status: 299, class: 'accepted' },
    ];
    const code = [{ json: '/nothing/here' }, { json: '/status' }];
    for (const status of [200, 503]) {
      provider().next.push({ status, body: '{"status":1}' });
      expect(await send({ answers, code })).toMatchObject({
        ...outcome,
        ...('reason' in outcome && status !== 200 && { reason: {} }),
      });
    }
  });

  it('applies the first matching rule, and never counts an unmatched answer as accepted', async () => {
    const code = { pattern: '^(?<code>\\d+)' };
    const answers = [
      { code: '30', class: 'stopped', meaning: 'wrong user or password' },
      { status: 200, code: '00', class: 'accepted' },
    ];
    const outcomes = [];
    for (const body of ['00 17', '30', '31', 'ok', '']) {
      provider().next.push({ status: 200, body });
      outcomes.push((await send({ code, answers })).kind);
    }
    expect(outcomes).toEqual(['sent', 'stopped', 'unknown', 'unknown', 'unknown']);
  });

  it('keeps the defaults for 401, 408 and 429 beside a rule for all of 4xx', async () => {
    const answers = [
      { status: 200, class: 'accepted' },
      { status: '4xx', class: 'rejected' },
      { status: '5xx', class: 'unknown' },
    ];
    const kinds = [];
    for (const status of [400, 401, 408, 429, 500]) {
      provider().next.push({ status });
      kinds.push((await send({ answers })).kind);
    }
    expect(kinds).toEqual(['refused', 'stopped', 'failing', 'busy', 'unknown']);
    provider().next.push({ status: 429 });
    const listed = [{ status: ['4xx', 429], class: 'rejected' }, ...answers];
    expect(await send({ answers: listed })).toMatchObject({ kind: 'busy' });
    provider().next.push({ status: 429 });
    expect(await send({ answers: [{ status: 429, class: 'rejected' }, ...answers] })).toMatchObject({
      kind: 'refused',
    });
  });

  it.each([
    ['{"m":[{"x/y":"7","n":2}]}', { json: '/m/0/x~1y' }, { json: '/m/0/n' }],
    ['{"x~1":"7","n":2}', { json: '/x~01' }, { json: '/n' }],
    [
      '<?xml version="1.0"?><xml><main><id> 7 </id><n>2</n></main></xml>',
      { xml: 'main/id' },
      { xml: 'main/n' },
    ],
    [
      '<a:r xmlns:a="urn:a"><a:main><a:id>7</a:id><a:n>2</a:n></a:main></a:r>',
      { xml: 'main/id' },
      { xml: 'main/n' },
    ],
    ['<r id="7"><m/><m><n>2</n></m></r>', { xml: '@id' }, { xml: 'm/n' }],
    ['<r><m/><m id="7" n="2"/></r>', { xml: 'm/@id' }, { xml: 'm/@n' }],
    ['00 7 2', { pattern: '^00 (?<id>\\d+)' }, { pattern: '(?<n>\\d+)$' }],
  ])('finds the provider’s id and the number of parts in %s', async (body, providerId, parts) => {
    provider().next.push({ status: 200, body });
    expect(await send({ providerId, parts })).toEqual({
      kind: 'sent',
      status: 200,
      providerId: '7',
      parts: 2,
    });
  });

  it.each([
    ['not JSON', { json: '/id' }],
    ['{"id":{"a":1}}', { json: '/id' }],
    ['{"id":""}', { json: '/id' }],
    ['<a><b/></a>', { xml: 'id' }],
    ['<a><b/></a>', { xml: 'b/@id' }],
    ['<a><id>', { xml: 'id' }],
  ])('finds no id in %s', async (body, providerId) => {
    provider().next.push({ status: 200, body });
    expect(await send({ providerId })).toEqual({ kind: 'sent', status: 200 });
  });

  it('sends the remaining validity of the code, but never less than gateways accept', async () => {
    const life = ['Seconds', 'Minutes', 'Milliseconds', 'HoursMinutes'];
    const body = Object.fromEntries(life.map((unit) => [unit, `{life${unit}}`]));
    await send({ ...BOTH, body }, { ...SMS, lifeMs: 299_999.5 });
    await send({ ...BOTH, body }, { ...SMS, lifeMs: 3 });
    expect(provider().received.map((request) => JSON.parse(request.body) as unknown)).toEqual([
      { Seconds: 299, Minutes: 5, Milliseconds: 299_999, HoursMinutes: '00:05' },
      { Seconds: 20, Minutes: 1, Milliseconds: 20_000, HoursMinutes: '00:01' },
    ]);
  });

  it.each([
    ['+00:00', '20260101 0230'],
    ['+03:00', '20260101 0530'],
    ['+05:45', '20260101 0815'],
    ['-03:00', '20251231 2330'],
    ['-03:30', '20251231 2300'],
  ])('writes dates at the offset %s', async (offset, written) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-01T02:30:00Z'));
    await send({ ...BOTH, dates: { format: 'yyyyMMdd HHmm', offset }, body: { at: '{now}' } });
    expect(JSON.parse(provider().received[0]?.body ?? '')).toEqual({ at: written });
  });

  it.each([
    ['e164', '+905551112233'],
    ['digits', '905551112233'],
    ['national', '05551112233'],
    ['national-without-zero', '5551112233'],
  ])('writes a phone number as %s', async (number, written) => {
    await send({ ...BOTH, number, body: { to: '{phone}' } });
    await send({ ...BOTH, number, body: { to: '{phone}' } }, { ...SMS, phone: '555' });
    expect(provider().received.map((request) => JSON.parse(request.body) as unknown)).toEqual([
      { to: written },
      { to: '555' },
    ]);
  });

  it('writes text in GSM-7 or in another charset if the gateway accepts no other', async () => {
    const text = { ...SMS, text: 'Şükrü Paşa İlkokulu – “ığ” 🎓' };
    await send({ ...BOTH, alphabet: 'gsm7', body: { text: '{text}' } }, text);
    const form = { ...BOTH, type: 'form', charset: 'iso-8859-9', body: { text: '{text}' } };
    await send(form, { ...SMS, text: 'Şı & ğ' });
    await send({ ...form, type: 'xml', body: '<t>{text}</t>' }, { ...SMS, text: 'Ş<' });
    await send({ ...form, body: 'text={text}' }, { ...SMS, text: 'Şı & ğ' });
    const [gsm, latin5, xml, written] = provider().received;
    expect(gsm?.body).toBe('{"text":"Sükrü Pasa Ilkokulu - \\"ig\\" ?"}');
    expect(latin5).toMatchObject({
      body: 'text=%DE%FD%20%26%20%F0',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-9' },
    });
    expect(xml?.bytes.toString('latin1')).toBe('<t>\u00de&lt;</t>');
    expect(written?.body).toBe(latin5?.body);
  });

  it.each(['Content-Type', 'content-type', 'CONTENT-TYPE'])(
    'sends its own %s in place of the usual one',
    async (name) => {
      const own = 'application/json; charset=utf-8';
      await send({ headers: { [name]: own } });
      expect(provider().received.map(({ headers }) => headers['content-type'])).toEqual([own]);
    },
  );

  it('sends the trace context of a message if there is one', async () => {
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
      '400 with a code that it knows',
      { status: 400, body: '{"code":21211,"to":"+905551112233"}' },
      {
        kind: 'refused',
        reason: { code: 'provider_rejected', detail: '21211', meaning: 'not a valid number' },
      },
    ],
    ['401', { status: 401 }, { kind: 'stopped', reason: { code: 'account_stopped', status: 401 } }],
    ['404', { status: 404 }, { kind: 'unknown' }],
    ['a redirect', { status: 302, headers: { Location: 'http://169.254.169.254/' } }, { kind: 'unknown' }],
    ['408', { status: 408 }, { kind: 'failing' }],
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
  ])('interprets %s', async (_what, behaviour, outcome) => {
    provider().next.push(behaviour);
    const { status } = typeof behaviour === 'object' ? behaviour : {};
    expect(await send()).toMatchObject({ ...outcome, ...(status !== undefined && { status }) });
    expect(provider().received).toHaveLength(behaviour === 'resets before reading' ? 0 : 1);
  });

  it('waits until the time in Retry-After, and ignores a past or invalid one', async () => {
    const retryAfter = async (value: string, description: Description = {}) => {
      provider().next.push({ status: 503, headers: { 'Retry-After': value } });
      const outcome = await send(description);
      return outcome.kind === 'failing' ? outcome.retryAfterMs : outcome;
    };
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-03-02T10:00:00Z'));
    expect(await retryAfter('Mon, 02 Mar 2026 10:01:30 GMT')).toBe(90_000);
    expect(await retryAfter('Mon, 02 Mar 2026 09:00:00 GMT')).toBe(0);
    expect(await retryAfter('soon')).toBeUndefined();
    const rule = { status: 503, class: 'retry', pauseSeconds: 30 };
    const pause = { answers: [rule, { status: 200, class: 'accepted' }] };
    expect([await retryAfter('2', pause), await retryAfter('soon', pause)]).toEqual([2000, 30_000]);
  });

  it.each([
    '{"code":"905551112233 is invalid"}',
    '{"code":"5551112233"}',
    '{"code":"00905551112233"}',
    '{"code":"90.555-111.22.33"}',
    '{"code":"2233"}',
    '{"code":233}',
    '{"code":"1234567"}',
    '{"code":"84021"}',
  ])('never takes personal data for an error code: %s', async (body) => {
    provider().next.push({ status: 400, body });
    const outcome = await send({
      answers: [
        { status: 400, class: 'rejected' },
        { status: 200, class: 'accepted' },
      ],
    });
    expect(outcome).toMatchObject({ kind: 'refused', reason: { detail: undefined } });
  });

  it('reports an unknown outcome if an answer is cut off and a rule needs all of it', async () => {
    provider().next.push({ status: 200, cutAfter: '{"sta' }, { status: 200, cutAfter: '{"sta' });
    const answers = [{ status: 200, code: '0', class: 'accepted' }];
    expect(await send({ answers, code: { json: '/status' } })).toMatchObject({
      kind: 'unknown',
      reason: { code: 'answer_unreadable' },
    });
    expect(await send()).toEqual({ kind: 'sent', status: 200 });
  });

  it('reports that nothing was sent when the connection is refused', async () => {
    const url = `http://127.0.0.1:${String(CLOSED_PORT)}/`;
    expect(await send({ url })).toEqual({
      kind: 'failing',
      reason: { code: 'connection_failed', error: 'ECONNREFUSED' },
    });
  });

  const json = (body: string): unknown => JSON.parse(body);
  const formOf = (body: string): unknown => Object.fromEntries(new URLSearchParams(body));
  it.each([
    ['an object of JSON', 'json', { to: '{phone}', text: '{text}' }, json],
    ['JSON', 'json', '{"to":"{phone}","text":"{text}"}', json],
    ['the fields of a form', 'form', { to: '{phone}', text: '{text}' }, formOf],
    ['a form', 'form', 'to={phone}&text={text}', formOf],
  ])('escapes the values in %s so that they arrive unchanged', async (_what, type, body, read) => {
    await send({ type, body }, AWKWARD_SMS);
    expect(read(provider().received[0]?.body ?? '')).toEqual({
      to: AWKWARD_SMS.phone,
      text: AWKWARD_SMS.text,
    });
  });

  it('escapes the values in XML, headers and the URL', async () => {
    const url = `${provider().url}/send?key={key}&to={phone}&text={text}`;
    const values = { key: 'k&1' };
    await send({ url, values, method: 'GET', body: undefined, type: undefined }, { ...SMS, text: 'a&b=ş' });
    const xml = {
      type: 'xml',
      values,
      body: '<t k="{key}">{text}</t>',
      headers: { 'X-Text': '{text}\\', 'X-To': '{phone}' },
    };
    await send(xml, { ...SMS, text: '<&"\r\nX: ş' });
    const [get, post] = provider().received;
    expect(get).toMatchObject({
      method: 'GET',
      path: '/send?key=k%261&to=%2B905551112233&text=a%26b%3D%C5%9F',
      body: '',
    });
    expect(post?.body).toBe('<t k="k&amp;1">&lt;&amp;&quot;\r\nX: ş</t>');
    expect(post?.headers['x-text']).toBe('<&"??X: ?\\');
  });

  it.each([
    [
      { type: 'basic', user: '{user}', password: '{secret}' },
      'authorization',
      `Basic ${btoa('AC1:s:ecret')}`,
    ],
    [{ type: 'bearer', token: '{secret}' }, 'authorization', 'Bearer s:ecret'],
    [{ type: 'header', name: 'X-Key', value: 'App {secret}' }, 'x-key', 'App s:ecret'],
  ])('authenticates by %j', async (authorization, header, value) => {
    await send({ authorization, values: { user: 'AC1', secret: 's:ecret' } });
    expect(provider().received[0]?.headers[header]).toBe(value);
  });

  it('signs a request with HMAC, with a timestamp and a nonce', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(1_764_000_000_123);
    const authorization = {
      type: 'hmac',
      algorithm: 'sha256',
      key: '{secret}',
      over: '{method}\n{path}\n{query}\n{timestamp}\n{nonce}\n{body}',
      encoding: 'base64',
      headers: { 'X-Time': '{timestamp}', 'X-Nonce': '{nonce}', 'X-Signature': 'v1={signature}' },
    };
    const values = { secret: 'key' };
    await send({ url: `${provider().url}/a/b?c=d`, authorization, values }, { ...SMS, text: 'ş' });
    await send({ url: `${provider().url}/a/b?c=d`, authorization, values });
    const [first, second] = provider().received;
    const { 'x-time': time = '', 'x-nonce': nonce = '', 'x-signature': signature } = first?.headers ?? {};
    const signed = `POST\n/a/b\nc=d\n${String(time)}\n${String(nonce)}\n${first?.body ?? ''}`;
    expect(time).toBe('1764000000');
    expect(signature).toBe(`v1=${createHmac('sha256', 'key').update(signed).digest('base64')}`);
    expect(second?.headers['x-nonce']).not.toBe(nonce);
  });

  it('reports the balance of the account', async () => {
    const balance = {
      url: `${provider().url}/balance?u={user}`,
      method: 'POST',
      type: 'json',
      body: { user: '{user}' },
      value: { json: '/left' },
    };
    provider().next.push({ status: 200, body: '{"left":"12.50"}' }, { status: 500, body: '{"left":"1"}' });
    const gateway = make({ balance, values: { user: 'a&b' }, authorization: { type: 'bearer', token: 't' } });
    expect(await gateway.balance(patience(provider()))).toBe('12.50');
    expect(await gateway.balance(patience(provider()))).toBeUndefined();
    await gateway.close();
    expect(provider().received[0]).toMatchObject({
      path: '/balance?u=a%26b',
      body: '{"user":"a&b"}',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    });
    expect(() => make({ balance: { ...balance, body: { user: '{nobody}' } } })).toThrow(
      'unknown placeholder',
    );
  });
});
