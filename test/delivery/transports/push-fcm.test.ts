import { CLOSED_PORT } from '../../../scripts/harness';
import { pushFcmTransport } from '../../../src/delivery/transports/push-fcm';
import {
  AWKWARD_PUSH,
  describeTransport,
  expectNoPersonalData,
  NO_PROXY,
  patience,
  PUSH,
} from './transport-kit';
import { type Behaviour, serviceAccount } from '../../../scripts/harness/delivery';
import { useProvider } from '../use-provider';

function fcmError(
  status: string,
  errorCode?: string,
  message = `about ${PUSH.token}`,
  more: readonly object[] = [],
): string {
  const type = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
  return JSON.stringify({
    error: {
      status,
      message,
      details: [...(errorCode === undefined ? [] : [{ '@type': type, errorCode }]), ...more],
    },
  });
}

describe('Firebase Cloud Messaging', () => {
  const provider = useProvider();
  const tokens = useProvider();
  const make = (
    url = provider().url,
    tokenUrl = `${provider().url}/token`,
    content: 'notification' | 'data' = 'notification',
  ) => pushFcmTransport({ account: serviceAccount(tokenUrl, url), content, connections: 4, proxy: NO_PROXY });
  const send = async (transport = make()) => {
    const outcome = await transport.send(PUSH, patience(provider()));
    expectNoPersonalData(outcome);
    return outcome;
  };

  describeTransport(() => make(), [PUSH, AWKWARD_PUSH]);

  it.each<readonly [string, Behaviour, object]>([
    [
      '200',
      { status: 200, body: '{"name":"projects/p/messages/7"}' },
      { kind: 'sent', providerId: 'projects/p/messages/7' },
    ],
    ['200 with JSON that is cut off', { status: 200, cutAfter: '{"name":"proj' }, { kind: 'sent' }],
    [
      '400',
      { status: 400, body: fcmError('INVALID_ARGUMENT') },
      { kind: 'refused', reason: { code: 'provider_rejected', status: 400, detail: 'INVALID_ARGUMENT' } },
    ],
    [
      '404 UNREGISTERED',
      { status: 404, body: fcmError('NOT_FOUND', 'UNREGISTERED') },
      { kind: 'dead-token' },
    ],
    [
      '400 for an invalid token',
      {
        status: 400,
        body: fcmError(
          'INVALID_ARGUMENT',
          'INVALID_ARGUMENT',
          'The registration token is not a valid FCM registration token',
        ),
      },
      { kind: 'dead-token', reason: { code: 'token_dead', status: 400, detail: 'INVALID_ARGUMENT' } },
    ],
    [
      '400 for a field of the request',
      {
        status: 400,
        body: fcmError('INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'Invalid registration token or so', [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'message.ttl' }],
          },
        ]),
      },
      { kind: 'refused' },
    ],
    [
      '400 whose violations name the token alone',
      {
        status: 400,
        body: fcmError('INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'Request contains an invalid argument.', [
          { fieldViolations: [{ field: 'message.token', description: 'Invalid registration token' }] },
        ]),
      },
      { kind: 'dead-token', reason: { code: 'token_dead', status: 400, detail: 'INVALID_ARGUMENT' } },
    ],
    [
      '400 whose violations name the token and another field',
      {
        status: 400,
        body: fcmError('INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'x', [
          { fieldViolations: [{ field: 'message.token' }, { field: 'message.ttl' }] },
        ]),
      },
      { kind: 'refused' },
    ],
    [
      '401 for the key of Apple’s service',
      { status: 401, body: fcmError('UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR') },
      { kind: 'later', reason: { code: 'platform_credentials_rejected' } },
    ],
    [
      '403 for the account',
      { status: 403, body: fcmError('PERMISSION_DENIED') },
      { kind: 'stopped', reason: { code: 'account_stopped', status: 403, detail: 'PERMISSION_DENIED' } },
    ],
    [
      '403 for a token of another project',
      { status: 403, body: fcmError('PERMISSION_DENIED', 'SENDER_ID_MISMATCH') },
      { kind: 'foreign-token', reason: { code: 'sender_mismatch' } },
    ],
    [
      '429 for one device',
      {
        status: 429,
        body: fcmError('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', 'Device message rate exceeded.'),
      },
      { kind: 'later', reason: { code: 'device_busy' }, retryAfterMs: 60_000 },
    ],
    [
      '429 for all, without a time to wait',
      { status: 429, body: fcmError('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', 'Quota exceeded.') },
      { kind: 'busy', retryAfterMs: 60_000 },
    ],
    [
      '429 that asks for no pause',
      { status: 429, headers: { 'Retry-After': '0' } },
      { kind: 'busy', retryAfterMs: 0 },
    ],
    ['another 404', { status: 404, body: fcmError('NOT_FOUND') }, { kind: 'refused' }],
    ['401 for a new access token', { status: 401, body: fcmError('UNAUTHENTICATED') }, { kind: 'stopped' }],
    ['429', { status: 429, headers: { 'Retry-After': '60' } }, { kind: 'busy', retryAfterMs: 60_000 }],
    ['500', { status: 500 }, { kind: 'failing' }],
    ['503', { status: 503, headers: { 'Retry-After': '3' } }, { kind: 'failing', retryAfterMs: 3000 }],
    ['a reset after the request was read', 'resets after reading', { kind: 'unknown' }],
    ['silence', 'never answers', { kind: 'unknown' }],
  ])('interprets %s', async (_what, behaviour, outcome) => {
    provider().next.push(behaviour);
    const { status } = typeof behaviour === 'object' ? behaviour : {};
    expect(await send()).toMatchObject({ ...outcome, ...(status !== undefined && { status }) });
  });

  it('reports an unknown outcome if the connection was reset before the request was read', async () => {
    provider().next.push('resets before reading');
    const transport = make(provider().url, `${tokens().url}/token`);
    expect(await send(transport)).toMatchObject({ kind: 'unknown' });
    expect(provider().received).toEqual([]);
  });

  it('sends the message in HTTP v1 format, so that a copy replaces it', async () => {
    await send();
    const [request] = provider().received;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/projects/school-test/messages:send' });
    expect(request?.headers.authorization).toBe('Bearer access-1');
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      message: {
        token: PUSH.token,
        notification: { title: PUSH.title, body: PUSH.body },
        data: { note: 'N1', school: 'http://school.example', messageId: PUSH.id },
        android: { priority: 'HIGH', ttl: '3600s', notification: { tag: PUSH.id } },
        apns: {
          headers: {
            'apns-collapse-id': PUSH.id,
            'apns-expiration': String(Date.parse('2026-03-02T10:00:00Z') / 1000),
            'apns-priority': '10',
          },
        },
        webpush: { headers: { TTL: '3600', Urgency: 'high' }, notification: { tag: PUSH.id } },
      },
    });
    // FCM keeps four of them a device.
    expect(request?.body).not.toContain('collapse_key');
  });

  it('sends only data, including the texts, to an app that displays notes itself', async () => {
    await send(make(undefined, undefined, 'data'));
    const [request] = provider().received;
    expect(JSON.parse(request?.body ?? '')).toEqual({
      message: {
        token: PUSH.token,
        data: { ...PUSH.data, title: PUSH.title, body: PUSH.body, messageId: PUSH.id },
        android: { priority: 'HIGH', ttl: '3600s' },
        apns: {
          headers: {
            'apns-push-type': 'background',
            'apns-expiration': String(Date.parse('2026-03-02T10:00:00Z') / 1000),
            'apns-priority': '5',
          },
          payload: { aps: { 'content-available': 1 } },
        },
        webpush: { headers: { TTL: '3600', Urgency: 'high' } },
      },
    });
  });

  it('keeps its access token when Apple’s key is refused', async () => {
    const transport = make();
    provider().next.push({ status: 401, body: fcmError('UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR') });
    await send(transport);
    await send(transport);
    expect(provider().tokensGiven).toBe(1);
  });

  it('cuts a long text between characters, since FCM accepts only 4,096 bytes', async () => {
    const transport = make();
    await transport.send({ ...PUSH, body: '🎓'.repeat(5000) }, patience(provider()));
    const body = provider().received[0]?.body ?? '';
    expect(Buffer.byteLength(body)).toBeLessThan(4096);
    expect(body).toMatch(/🎓…"/u);
    expect(body).not.toContain('\uFFFD');
  });

  it('requests an access token once for many messages, and again when it is refused', async () => {
    const transport = make();
    await send(transport);
    await send(transport);
    expect(provider().tokensGiven).toBe(1);
    provider().next.push({ status: 401 });
    expect(await send(transport)).toMatchObject({
      kind: 'failing',
      reason: { code: 'access_token_refused' },
    });
    await send(transport);
    expect(provider().tokensGiven).toBe(2);
  });

  it('is stopped when FCM refuses a new access token, and gets another one for the next attempt', async () => {
    const transport = make();
    await send(transport);
    provider().next.push({ status: 401 }, { status: 401 });
    provider().tokenAnswer = { status: 200, body: '{"access_token":"access-2","expires_in":3600}' };
    expect(await send(transport)).toMatchObject({ kind: 'failing' });
    expect(await send(transport)).toMatchObject({
      kind: 'stopped',
      reason: { code: 'access_token_refused' },
    });
    expect(await send(transport)).toMatchObject({ kind: 'sent' });
    expect(provider().tokensGiven).toBe(3);
  });

  it('retries later without an access token', async () => {
    provider().tokenAnswer = { status: 400, body: '{"error":"invalid_grant"}' };
    expect(await send()).toEqual({
      kind: 'failing',
      reason: { code: 'access_token_missing', status: 400, detail: 'invalid_grant' },
    });
    expect(provider().received).toEqual([]);
  });

  it.each(['notification', 'data'] as const)(
    'keeps texts and data of %s messages within 4,096 bytes, and shortens the body first',
    async (content) => {
      const transport = make(provider().url, undefined, content);
      const data = { school: `http://school.example/${'a'.repeat(2000)}`, note: 'ş'.repeat(256) };
      for (const body of ['short', 'ş"\n'.repeat(1500)]) {
        await transport.send({ ...PUSH, data, title: 'T'.repeat(600), body }, new AbortController().signal);
      }
      await transport.close();
      const [short, long] = provider().received.map(({ body }) => {
        type Texts = Readonly<Record<string, string>> | undefined;
        // As the transport writes it.
        const { message } = JSON.parse(body) as { readonly message: Record<'data' | 'notification', Texts> };
        return { ...message.data, ...message.notification };
      });
      expect(short).toMatchObject({ ...data, body: 'short' });
      expect(long).toMatchObject(data);
      expect(long?.['title']).toBe(short?.['title']);
      expect(long?.['body']).toMatch(/…$/);
      expect(Buffer.byteLength(JSON.stringify(long))).toBeGreaterThan(3900);
      expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThanOrEqual(4000);
    },
  );

  it('does not wait too long for a silent token server', async () => {
    provider().tokenAnswer = 'never answers';
    const early = new AbortController();
    const transport = make();
    const [waiting, later] = [transport.send(PUSH, early.signal), transport.send(PUSH, early.signal)];
    early.abort();
    for (const outcome of [await waiting, await later, await transport.send(PUSH, early.signal)]) {
      expect(outcome).toEqual({ kind: 'failing', reason: { code: 'access_token_missing' } });
    }
    expect(provider().received).toEqual([]);
  });

  it('reports why the token server did not answer', async () => {
    const transport = make(provider().url, `http://127.0.0.1:${String(CLOSED_PORT)}/token`);
    expect(await send(transport)).toEqual({
      kind: 'failing',
      reason: { code: 'access_token_missing', cause: { code: 'connection_failed', error: 'ECONNREFUSED' } },
    });
    await transport.close();
  });

  it('reports that nothing was sent when the connection is refused', async () => {
    expect(await send(make(`http://127.0.0.1:${String(CLOSED_PORT)}`))).toMatchObject({
      kind: 'failing',
    });
  });
});
