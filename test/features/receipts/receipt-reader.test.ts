// Each preset's receipts, written as its provider publishes them.

import { createHash, createHmac } from 'node:crypto';

import { type Behaviour, type ReceivedRequest, writeGatewaysFile } from '../../../scripts/harness/delivery';
import { readPresets } from '../../../src/delivery/gateways/presets';
import { readGateways } from '../../../src/delivery/gateways/gateway-file';
import { askAbout } from '../../../src/features/receipts/receipt-poll';
import {
  type ReceiptCall,
  readReceiptFile,
  ReceiptReader,
} from '../../../src/features/receipts/receipt-reader';
import { Receipts } from '../../../src/features/receipts/stored-receipts';
import { useDatabase } from '../../harness/test-databases';
import { useFolderPerTest } from '../../harness/use-folder';
import { patience } from '../../delivery/transports/transport-kit';
import { useProvider } from '../../delivery/use-provider';
import { useGateways } from '../../delivery/gateways/use-gateways';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const SECRET = 'S3cret-of-this-gateway';
const URL = `https://sms.school.example/receipts/gateway/${SECRET}`;
const USER = { user: 'u', password: 'p', sender: 'OKUL' };
const VALUES = {
  twilio: { account: 'AC1', password: 'k', authToken: 'T0ken', sender: '+15005550006' },
  vonage: { ...USER, signatureSecret: 'sig' },
  infobip: { base: 'https://x.api.infobip.com', apiKey: 'k', sender: 'OKUL' },
  verimor: USER,
} as const;
type Preset = keyof typeof VALUES;

const call = (more: Partial<ReceiptCall>, headers: Readonly<Record<string, string>> = {}): ReceiptCall => ({
  ...{ method: 'POST', query: '', contentType: '', body: '', header: (name) => headers[name] },
  ...more,
});
const json = (value: unknown): Partial<ReceiptCall> => ({
  ...{ contentType: 'application/json', body: JSON.stringify(value) },
});
const form = (fields: Record<string, string>): Partial<ReceiptCall> => ({
  ...{ contentType: 'application/x-www-form-urlencoded', body: new URLSearchParams(fields).toString() },
});

function twilio(fields: Record<string, string>, key = 'T0ken', url = URL): ReceiptCall {
  const signed =
    url +
    Object.keys(fields)
      .toSorted()
      .map((name) => `${name}${fields[name] ?? ''}`)
      .join('');
  const signature = createHmac('sha1', key).update(signed).digest('base64');
  return call(form(fields), { 'x-twilio-signature': signature });
}

function token(claims: object, key = 'sig', alg = 'HS256'): Readonly<Record<string, string>> {
  const parts = [{ alg, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', key).update(parts.join('.')).digest('base64url');
  return { authorization: `Bearer ${[...parts, signature].join('.')}` };
}

function vonage(more: Partial<ReceiptCall>): ReceiptCall {
  const hash = createHash('sha256')
    .update(more.body ?? '')
    .digest('hex');
  return call(more, token({ iat: NOW / 1000, exp: NOW / 1000 + 300, payload_hash: hash }));
}

const receipt = (providerId: string, state: string, code: string | null = null, more = {}) => ({
  ...{ gateway: 'gateway', providerId, state, code, at: NOW, parts: null, ...more },
});

const CASES: readonly (readonly [Preset, string, ReceiptCall, readonly unknown[]])[] = [
  [
    'twilio',
    'delivered',
    twilio({ MessageSid: 'SM1', MessageStatus: 'delivered', AccountSid: 'AC1', To: '+905551112233' }),
    [receipt('SM1', 'delivered')],
  ],
  [
    'twilio',
    'undelivered',
    twilio({ MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30003' }),
    [receipt('SM1', 'undelivered', '30003: the phone is off or out of reach')],
  ],
  [
    'twilio',
    'failed for a reason that is not listed',
    twilio({ MessageSid: 'SM1', MessageStatus: 'failed', ErrorCode: '39999' }),
    [receipt('SM1', 'undelivered', '39999')],
  ],
  ['twilio', 'on its way', twilio({ MessageSid: 'SM1', MessageStatus: 'sent' }), ['waiting']],
  [
    'twilio',
    'a status that is not known',
    twilio({ MessageSid: 'SM1', MessageStatus: 'x' }),
    [{ gateway: 'gateway', providerId: 'SM1', unmatched: 'x' }],
  ],
  [
    'vonage',
    'delivered, in JSON',
    vonage(json({ messageId: 'V1', status: 'delivered', 'err-code': '0', msisdn: '905551112233' })),
    [receipt('V1', 'delivered')],
  ],
  [
    'vonage',
    'expired, as a form',
    vonage(form({ messageId: 'V1', status: 'expired', 'err-code': '1' })),
    [receipt('V1', 'undelivered', '1: not delivered in time')],
  ],
  [
    'vonage',
    'failed, in a query',
    vonage({ method: 'GET', query: 'messageId=V1&status=failed&err-code=6' }),
    [receipt('V1', 'undelivered', '6: the phone is off, or does not accept SMS')],
  ],
  ['vonage', 'on its way', vonage(json({ messageId: 'V1', status: 'buffered' })), ['waiting']],
  [
    'infobip',
    'several at once, with time and parts',
    call(
      json({
        results: [
          {
            ...{ messageId: 'I1', doneAt: '2026-03-02T12:59:30.000+0300', messageCount: 2 },
            ...{
              status: { groupName: 'DELIVERED', name: 'DELIVERED_TO_HANDSET' },
              error: { name: 'NO_ERROR' },
            },
          },
          {
            ...{ messageId: 'I2', doneAt: '2020-01-01T00:00:00.000+0000' },
            ...{ status: { name: 'UNDELIVERABLE_NOT_DELIVERED' }, error: { name: 'EC_ABSENT_SUBSCRIBER' } },
          },
          { messageId: 'I3', status: { name: 'DELIVERED_TO_OPERATOR' } },
          { to: '905551112233' },
        ],
      }),
    ),
    [
      receipt('I1', 'delivered', null, { at: NOW - 30_000, isExact: true, parts: 2 }),
      receipt('I2', 'undelivered', 'EC_ABSENT_SUBSCRIBER: the phone is off or out of reach'),
      'waiting',
      'unreadable',
    ],
  ],
  [
    'infobip',
    'with a time or a number of parts that cannot be right, or an id that is too long',
    call(
      json({
        results: [
          ...['2026-03-02T10:05:00Z', '2026-03-02T10:05:01Z', '2026-02-28T10:00:00Z', '2026-02-28T09:59:59Z'],
          '2026-03-02T09:59:00', // In which zone?
          ...[0, 255, 256],
          'x'.repeat(257),
        ].map((each) => ({
          messageId: 'I1',
          status: { name: 'DELIVERED_TO_HANDSET' },
          ...(typeof each === 'number' && { messageCount: each }),
          ...(typeof each === 'string' && (each.startsWith('x') ? { messageId: each } : { doneAt: each })),
        })),
      }),
    ),
    [
      receipt('I1', 'delivered', null, { at: NOW + 300_000, isExact: true }),
      receipt('I1', 'delivered'),
      receipt('I1', 'delivered', null, { at: NOW - 48 * 3_600_000, isExact: true }),
      ...[NOW, NOW].map((at) => receipt('I1', 'delivered', null, { at })),
      ...[null, 255, null].map((parts) => receipt('I1', 'delivered', null, { parts })),
      'unreadable',
    ],
  ],
  [
    'verimor',
    'several at once',
    call(
      json([
        { campaign_id: 20121, size: 3, status: 'DELIVERED', gsm_error: '0', dest: '905551112233' },
        { campaign_id: 20122, size: 1, status: 'NOT_DELIVERED', gsm_error: '27' },
        { campaign_id: 20123, status: 'EXPIRED', gsm_error: null },
        { campaign_id: 20124, status: 'WAITING' },
      ]),
    ),
    [
      receipt('20121', 'delivered', null, { parts: 3 }),
      receipt('20122', 'undelivered', '27: the number is not active', { parts: 1 }),
      receipt('20123', 'undelivered', 'EXPIRED: not delivered in time'),
      'waiting',
    ],
  ],
  [
    'verimor',
    'one alone, as a form',
    call(form({ campaign_id: '20121', size: '3', status: 'DELIVERED' })),
    [receipt('20121', 'delivered', null, { parts: 3 })],
  ],
  ['verimor', 'what is no list', call(json({ campaign_id: 1, status: 'DELIVERED' })), []],
  ['verimor', 'what is no JSON', call({ body: '<xml>' }), []],
];

/** How each preset's provider words that one SMS is on its way, has arrived and has not. */
const WORDS: Readonly<Record<string, readonly [waiting: string, delivered: string, undelivered: string]>> = {
  twilio: ['sent', 'delivered', 'undelivered'],
  vonage: ['buffered', 'delivered', 'failed'],
  infobip: ['DELIVERED_TO_OPERATOR', 'DELIVERED_TO_HANDSET', 'UNDELIVERABLE_NOT_DELIVERED'],
  verimor: ['WAITING', 'DELIVERED', 'NOT_DELIVERED'],
  'netgsm-get': ['0', '1', '2'],
  'netgsm-otp': ['0', '1', '2'],
  'netgsm-rest': ['0', '1', '2'],
};

/** A provider's report on the SMS 7. */
const REPORTS: Readonly<Record<Preset, (status: string) => ReceiptCall>> = {
  twilio: (status) => twilio({ MessageSid: '7', MessageStatus: status }),
  vonage: (status) => vonage(json({ messageId: '7', status })),
  infobip: (status) => call(json({ results: [{ messageId: '7', status: { name: status } }] })),
  verimor: (status) => call(json([{ campaign_id: 7, status }])),
};

describe('receipts that arrive twice or out of order', () => {
  const provider = useProvider();
  const open = useGateways();
  const folder = useFolderPerTest();
  const database = useDatabase('sqlite');

  const isCalling = (preset: string): preset is Preset => Object.hasOwn(REPORTS, preset);
  const hear = async (preset: string, status: string) => {
    if (isCalling(preset)) {
      const description = { preset, ...VALUES[preset], receiptUrl: URL };
      const [gateway] = readGateways(writeGatewaysFile(folder(), description)).gateways;
      return (gateway && ReceiptReader.of(gateway)?.read(REPORTS[preset](status), NOW)) ?? [];
    }
    provider().next.push({ status: 200, body: JSON.stringify({ jobs: [{ jobid: '7', status }] }) });
    const gateway = open({ preset, ...USER, base: provider().url });
    const read = gateway.asked && (await askAbout(gateway.asked, ['7'], NOW, patience(provider())));
    await gateway.close();
    return read ?? [];
  };

  it.each([
    ['{"code":"00","jobid":"7"}', true],
    ['{"code":"00"}', false],
  ])('are only awaited for an SMS with an id: %s', async (body, isAwaited) => {
    const asked = open({ preset: 'netgsm-rest', ...USER, base: provider().url });
    provider().next.push({ status: 200, body });
    const sms = { id: '1', phone: '+905551112233', text: 'x', lifeMs: 300_000 };
    const outcome = await asked.send(sms, patience(provider()));
    await asked.close();
    expect(outcome.kind).toBe('sent');
    expect('awaitsReceipt' in outcome).toBe(isAwaited);
  });

  it('are tested for each preset with receipts', () => {
    const having = readPresets().filter(([, { gateway }]) => gateway.receipts !== undefined);
    expect(Object.keys(WORDS).toSorted()).toEqual(having.map(([name]) => name).toSorted());
  });

  it.each(Object.entries(WORDS))(
    'keep the first final state of %s',
    async (preset, [waiting, delivered, undelivered]) => {
      const store = await database.open();
      const id = await store.messages.enqueue({
        ...{ channel: 'sms', recipient: '+905551112233', school: '', payload: { code: '1' } },
        ...{ dedupeKey: null, createdAt: NOW, expiresAt: NOW + 300_000 },
      });
      const lease = { owner: 'w', leaseUntil: NOW + 30_000 };
      await store.outbox.claim({ ...lease, channel: 'sms', limit: 1, now: NOW });
      await store.outbox.settle({
        ...{ ...lease, id, state: 'sent', nextAttemptAt: NOW, attempted: true, erase: true },
        ...{ providerId: '7', awaitsReceipt: true, gateway: 'gateway', reason: null, now: NOW },
      });
      const states: unknown[] = [];
      for (const status of [waiting, undelivered, undelivered, delivered, waiting]) {
        const [heard] = await hear(preset, status);
        if (typeof heard === 'object' && 'state' in heard)
          states.push(...(await new Receipts(store).record([heard], NOW)));
        else states.push(heard);
      }
      expect(states).toEqual(['waiting', 'recorded', 'repeated', 'repeated', 'waiting']);
      expect(await store.deliveries.list({ ids: [id] }, 1)).toMatchObject([{ receipt: 'undelivered' }]);
    },
  );
});

describe('a receipt', () => {
  const folder = useFolderPerTest();
  function open(preset: Preset, more: object = {}): ReceiptReader | undefined {
    const description = { preset, ...VALUES[preset], receiptUrl: URL, ...more };
    const [gateway] = readGateways(writeGatewaysFile(folder(), description)).gateways;
    if (gateway === undefined) throw new Error('The file has no gateway');
    return ReceiptReader.of(gateway);
  }

  it.each(CASES)('from %s is read: %s', (preset, _what, given, expected) => {
    expect(open(preset)?.read(given, NOW)).toEqual(expected);
  });

  it('shows the status instead of a code that may be a phone number', () => {
    const given = call(json([{ campaign_id: 1, status: 'NOT_DELIVERED', gsm_error: '905551112233' }]));
    expect(open('verimor')?.read(given, NOW)).toMatchObject([
      { code: 'NOT_DELIVERED: the number is not active' },
    ]);
  });

  const FIELDS = { MessageSid: 'SM1', MessageStatus: 'delivered' };
  const BODY = json({ messageId: 'V1', status: 'delivered' });
  it.each<readonly [string, Preset, ReceiptCall]>([
    ['without a signature', 'twilio', call(form(FIELDS))],
    ['signed with another key', 'twilio', twilio(FIELDS, 'other')],
    [
      'whose form is not the signed one',
      'twilio',
      { ...twilio(FIELDS), ...form({ ...FIELDS, MessageSid: 'SM2' }) },
    ],
    ['whose query is not signed', 'twilio', { ...twilio(FIELDS), query: 'a=1' }],
    ['without a token', 'vonage', call(BODY)],
    ['whose token has another key', 'vonage', call(BODY, token({}, 'other'))],
    ['whose token has no algorithm', 'vonage', call(BODY, token({}, 'sig', 'none'))],
    ['whose token has expired', 'vonage', call(BODY, token({ exp: NOW / 1000 - 301 }))],
    [
      'whose body is not the signed one',
      'vonage',
      { ...vonage(BODY), ...json({ messageId: 'V2', status: 'delivered' }) },
    ],
  ])('%s is refused', (_what, preset, given) => {
    expect(open(preset)?.read(given, NOW)).toBeUndefined();
  });

  it.each([
    ['https://sms.school.example', 'https://sms.school.example'],
    ['https://sms.school.example', 'https://sms.school.example:443'],
    ['https://sms.school.example:8443', 'https://sms.school.example:8443'],
    ['https://sms.school.example:8443', 'https://sms.school.example'],
    ['https://me:pass@sms.school.example:8443', 'https://sms.school.example'],
    ['http://me@sms.school.example', 'http://sms.school.example:80'],
    ['https://[2001:db8::7]:8443', 'https://[2001:db8::7]'],
  ])('from Twilio to %s is accepted if %s is signed', (given, signed) => {
    const path = `/receipts/gateway/${SECRET}`;
    const reader = open('twilio', { receiptUrl: given + path });
    expect(reader?.read(twilio(FIELDS, 'T0ken', signed + path), NOW)).toEqual([receipt('SM1', 'delivered')]);
    expect(reader?.read(twilio(FIELDS, 'T0ken', `https://other.example${path}`), NOW)).toBeUndefined();
  });

  it('from Twilio may be signed with either auth token while one is replaced', () => {
    const reader = open('twilio', { secondaryAuthToken: 'N3w' });
    for (const key of ['T0ken', 'N3w'])
      expect(reader?.read(twilio(FIELDS, key), NOW)).toEqual([receipt('SM1', 'delivered')]);
    for (const key of ['', 'other']) expect(reader?.read(twilio(FIELDS, key || 'x'), NOW)).toBeUndefined();
  });

  it('from Infobip with an unknown name counts by its group', () => {
    const status = { groupName: 'UNDELIVERABLE', name: 'UNDELIVERABLE_NEW_NAME' };
    const given = call(json({ results: [{ messageId: 'I1', status }] }));
    expect(open('infobip')?.read(given, NOW)).toEqual([
      receipt('I1', 'undelivered', 'UNDELIVERABLE: refused by the operator'),
    ]);
  });

  it.each([
    ['2026-03-02T04:59:00-05:00', undefined],
    ['2026-03-02T04:59:00-0500', '+03:00'],
    ['2026-03-02T12:59:00+03:00', undefined],
    ['2026-03-02T12:59:00+0300', '-05:00'],
    ['2026-03-02T09:59:00Z', '-05:00'],
    ['2026-03-02T04:59:00', '-05:00'],
    ['2026-03-02T12:59:00', '+03:00'],
    ['02.03.2026 04:59:00', '-05:00'],
    ['02.03.2026 12:59:00', '+03:00'],
  ])('has the time %s, if the gateway names the offset %s', (time, offset) => {
    const description = {
      ...{ preset: undefined, url: 'https://x.example', type: 'json', body: '{"a":"{phone} {text}"}' },
      ...{ values: { receiptUrl: URL }, answers: [{ status: 200, class: 'accepted' }] },
      receipts: {
        ...{ providerId: { json: '/id' }, status: { json: '/s' }, time: { json: '/t' }, offset },
        states: [{ status: '1', state: 'delivered' }],
      },
    };
    const [gateway] = readGateways(writeGatewaysFile(folder(), description)).gateways;
    if (gateway === undefined) throw new Error('The file has no gateway');
    expect(readReceiptFile(gateway, JSON.stringify({ id: '7', s: '1', t: time }), NOW)).toEqual([
      receipt('7', 'delivered', null, { at: NOW - 60_000, isExact: true }),
    ]);
  });

  describe('in lists of one field each', () => {
    // As SMSAPI publishes them.
    const smsapi = {
      ...{ preset: undefined, url: 'https://x.example', type: 'json', body: '{"a":"{phone} {text}"}' },
      values: { receiptUrl: URL },
      answers: [{ status: 200, class: 'accepted' }],
      receipts: {
        ...{ providerId: { json: '/MsgId' }, separator: ',', status: { json: '/status' } },
        ...{ time: { json: '/donedate' }, reply: 'OK' },
        states: [
          { status: '404', state: 'delivered' },
          { status: ['401', '405'], state: 'undelivered', meaning: 'not delivered' },
          { status: '403', state: 'waiting' },
        ],
      },
    };
    const written = () => {
      const [gateway] = readGateways(writeGatewaysFile(folder(), smsapi)).gateways;
      if (gateway === undefined) throw new Error('The file has no gateway');
      return gateway;
    };
    const seconds = NOW / 1000;

    it.each<readonly [string, string, readonly unknown[]]>([
      [
        'several',
        `MsgId=a,b,c&status=404,405,403&donedate=${String(seconds - 9)},${String(seconds)},${String(seconds)}`,
        [
          receipt('a', 'delivered', null, { at: NOW - 9000, isExact: true }),
          receipt('b', 'undelivered', '405: not delivered', { isExact: true }),
          'waiting',
        ],
      ],
      ['one', 'MsgId=a&status=404', [receipt('a', 'delivered')]],
      [
        'one status for all, and an unknown one',
        'MsgId=a,b&status=999',
        ['a', 'b'].map((providerId) => ({ gateway: 'gateway', providerId, unmatched: '999' })),
      ],
      [
        'too few statuses',
        'MsgId=a,b,c&status=404,405',
        ['a', 'b', 'c'].map((providerId) => ({ gateway: 'gateway', providerId, unmatched: '' })),
      ],
      ['an empty id', 'MsgId=a,&status=404,404', [receipt('a', 'delivered'), 'unreadable']],
      [
        'the longest id, and one that is longer',
        `MsgId=${'a'.repeat(256)},${'b'.repeat(257)}&status=404,404`,
        [receipt('a'.repeat(256), 'delivered'), 'unreadable'],
      ],
    ])('are read apart: %s', (_what, query, receipts) => {
      const gateway = written();
      expect(ReceiptReader.of(gateway)?.read(call({ method: 'GET', query }), NOW)).toEqual(receipts);
      expect(readReceiptFile(gateway, `https://x.example/?${query}\n`, NOW)).toEqual(receipts);
    });
  });

  it('keeps ids above 2^53 apart that are written as numbers', () => {
    const body =
      '[{"campaign_id":9007199254740993,"status":"DELIVERED","size":2},{"campaign_id":9007199254740992,"status":"EXPIRED"}]';
    expect(open('verimor')?.read(call({ body }), NOW)).toMatchObject([
      { providerId: '9007199254740993', state: 'delivered', parts: 2 },
      { providerId: '9007199254740992', state: 'undelivered' },
    ]);
  });

  it('from Vonage needs no token unless a signature secret is set', () => {
    expect(open('vonage', { signatureSecret: '' })?.read(call(BODY), NOW)).toEqual([
      receipt('V1', 'delivered'),
    ]);
  });

  it('is accepted only at an address with a secret', () => {
    expect(open('verimor', { receiptUrl: '' })).toBeUndefined();
    const reader = open('verimor');
    expect([SECRET, '', `${SECRET}x`, SECRET.toLowerCase()].map((each) => reader?.isSecret(each))).toEqual([
      ...[true, false, false, false],
    ]);
    for (const receiptUrl of [
      ...['https://x.example/receipts/gateway/short', `https://x.example/receipts/other/${SECRET}`],
      ...[`${URL}?a=1`, `ftp://x.example/receipts/gateway/${SECRET}`],
    ]) {
      expect(() => open('verimor', { receiptUrl })).toThrow(
        'gateways > gateway > receiptUrl needs a URL that ends in /receipts/gateway/SECRET',
      );
    }
  });
});

describe('a gateway that is polled for receipts', () => {
  const provider = useProvider();
  const open = useGateways();
  const ask = async (description: Readonly<Record<string, unknown>>, ids: readonly string[]) => {
    const gateway = open(description);
    const read = gateway.asked && (await askAbout(gateway.asked, ids, NOW, patience(provider())));
    await gateway.close();
    return read;
  };
  const job = (jobid: string, status: number, more = {}) => ({
    ...{ jobid, number: '905551112233', status, operator: 60, msglen: 2, errorCode: 0 },
    ...{ deliveredDate: '', referansID: '', ...more },
  });

  it.each(['netgsm-get', 'netgsm-otp', 'netgsm-rest'])(
    'is asked for several at once with the preset %s',
    async (preset) => {
      provider().next.push({
        status: 200,
        body: JSON.stringify({
          code: '00',
          description: 'success',
          jobs: [
            job('101', 1, { deliveredDate: '02.03.2026 12:59:30' }),
            job('102', 0),
            job('103', 11, { errorCode: 119 }),
            job('104', 2, { deliveredDate: '02.03.2020 12:59:30' }),
            job('105', 77),
          ],
        }),
      });
      expect(
        await ask({ preset, ...USER, base: provider().url }, ['101', '102', '103', '104', '105']),
      ).toEqual([
        receipt('101', 'delivered', null, { at: NOW - 30_000, isExact: true, parts: 2 }),
        'waiting',
        receipt('103', 'undelivered', '119: the operator refused it', { parts: 2 }),
        receipt('104', 'undelivered', '2: not delivered in time', { parts: 2 }),
        { gateway: 'gateway', providerId: '105', unmatched: '77' },
      ]);
      const [{ method, path, headers, body } = {}] = provider()
        .received as readonly Partial<ReceivedRequest>[];
      const asked: unknown = JSON.parse(body ?? '');
      expect({ method, path, authorization: headers?.authorization, body: asked }).toEqual({
        method: 'POST',
        path: '/sms/rest/v2/report',
        authorization: `Basic ${btoa('u:p')}`,
        body: { jobids: ['101', '102', '103', '104', '105'], pagenumber: 0, pagesize: 200 },
      });
    },
  );

  /** Mutlucell's report: a line for each number of one package, with the state behind it. */
  const TEXT = {
    ...{ values: { user: 'u&', password: 'p' }, providerId: { pattern: '^\\$(?<id>\\d+)' } },
    receipts: {
      request: {
        ...{ url: '', method: 'POST', type: 'xml' },
        body: '<smsrapor ka="{user}" pwd="{password}" id="{providerIds}" />',
      },
      status: { pattern: '^\\d+ (?<status>\\d+)' },
      states: [
        { status: '3', state: 'delivered' },
        { status: ['0', '1', '2'], state: 'waiting' },
        { status: '4', state: 'undelivered', meaning: 'the phone is off' },
      ],
    },
  };
  const text = (more: object = {}) => ({
    ...TEXT,
    url: `${provider().url}/send`,
    receipts: {
      ...TEXT.receipts,
      request: { ...TEXT.receipts.request, url: `${provider().url}/report`, ...more },
    },
  });

  it.each([
    ['905551112233 3\n', receipt('7', 'delivered')],
    ['905551112233 1', 'waiting'],
    ['905551112233 4', receipt('7', 'undelivered', '4: the phone is off')],
    ['20', { gateway: 'gateway', providerId: '7', unmatched: '' }],
  ])('can have its own format, without an id in the answer: %j', async (body, expected) => {
    provider().next.push({ status: 200, body });
    expect(await ask(text(), ['7'])).toEqual([expected]);
    expect(provider().received[0]?.body).toBe('<smsrapor ka="u&amp;" pwd="p" id="7" />');
  });

  it.each<readonly [string, Behaviour]>([
    ['refuses', { status: 401 }],
    ['fails', { status: 503 }],
    ['is cut off', { status: 200, cutAfter: '9' }],
    ['does not answer', 'resets after reading'],
  ])('yields nothing when it %s', async (_what, behaviour) => {
    provider().next.push(behaviour);
    expect(await ask(text(), ['7'])).toBeUndefined();
  });

  it('is not asked for malformed ids', async () => {
    expect(await ask(text(), ['{password}', 'a"b', '7,8', ''])).toEqual([]);
    expect(provider().received).toEqual([]);
  });

  it.each([
    ['an unknown placeholder', { body: '{providerIds}{nothing}' }, 'unknown placeholder {nothing}'],
    ['no URL', { url: 'x' }, 'is not an http:// or https:// URL'],
    ['several ids in a request, and none in the answer', { ids: 2 }, 'needs "providerId"'],
  ])('is refused at start with %s', (_what, more, message) => {
    expect(() => open(text(more))).toThrow(message);
  });
});
