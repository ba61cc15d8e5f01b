// Each preset against a stand-in that answers as its provider publishes.

import type { Behaviour } from '../../../scripts/harness/delivery';
import type { Gateway } from '../../../src/delivery/gateways/gateway-file';
import { readPresets } from '../../../src/delivery/gateways/presets';
import { shadowedRules } from '../../../src/delivery/gateways/shadowed-rules';
import type { SmsMessage } from '../../../src/delivery/transports/transport';
import { expectNoPersonalData, patience, SMS } from '../transports/transport-kit';
import { useProvider } from '../use-provider';
import { useGateways } from './use-gateways';

const TEXT = 'Kodunuz: 1+1=2 & %20 "çğışöü İŞ" {phone}\n<€>';
const MESSAGE: SmsMessage = { ...SMS, text: TEXT, lifeMs: 299_999 };
const ID = 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab';

const json = (status: number, body: unknown): Behaviour => ({
  status,
  body: JSON.stringify(body, undefined, 2),
});
const text = (body: string, status = 200): Behaviour => ({ status, body });
const otp = (inner: string) => text(`<?xml version="1.0"?>\n<xml><main>${inner}</main></xml>`);
const vonage = (part: object) =>
  json(200, { 'message-count': '1', messages: [{ to: '905551112233', ...part }] });
const infobip = (id: number, name: string, groupName = 'G') =>
  json(200, {
    bulkId: 'B1',
    messages: [{ messageId: ID, status: { groupId: 1, groupName, id, name }, details: { messageCount: 2 } }],
  });

const sent = (providerId: string | undefined, more = {}) => ({ kind: 'sent', providerId, ...more });
const stopped = (detail: string | undefined, meaning: string) => ({
  kind: 'stopped',
  reason: { code: 'account_stopped', detail, meaning, gateway: 'gateway' },
});
const rejected = (detail: string) => ({ kind: 'refused', reason: { code: 'provider_rejected', detail } });
const wrongPassword = 'wrong user or password, no API permission, or IP address not allowed';

interface Case {
  readonly values: Readonly<Record<string, string>>;
  readonly request: object;
  /** Holds what the body is, once it is read by its type; undefined for none. */
  readonly body: unknown;
  readonly answers: readonly (readonly [Behaviour, object])[];
}

const USER = { user: 'us&er', password: 'p@<"1', sender: 'OKUL' };
const BASIC = `Basic ${btoa('us&er:p@<"1')}`;
const OTP_BODY =
  '<?xml version="1.0"?><mainbody><header><usercode>us&amp;er</usercode><password>p@&lt;&quot;1</password>' +
  '<msgheader>OKUL</msgheader></header><body><msg>Kodunuz: 1+1=2 &amp; %20 &quot;cgisöü IS&quot; {phone}\n&lt;€&gt;' +
  '</msg><no>905551112233</no></body></mainbody>';

const CASES: Readonly<Record<string, Case>> = {
  twilio: {
    values: { account: 'AC1', password: 'secret', sender: '+15005550006' },
    request: {
      method: 'POST',
      path: '/2010-04-01/Accounts/AC1/Messages.json',
      authorization: `Basic ${btoa('AC1:secret')}`,
    },
    body: { To: '+905551112233', From: '+15005550006', Body: TEXT, ValidityPeriod: '299' },
    answers: [
      [
        json(201, { sid: 'SM12', status: 'queued', error_code: null, num_segments: '2' }),
        sent('SM12', { parts: 2 }),
      ],
      [json(400, { code: 21211, message: 'Invalid To +905551112233', status: 400 }), rejected('21211')],
      [json(400, { code: 99999, status: 400 }), rejected('99999')],
      [
        json(401, { code: 20003, status: 401 }),
        stopped('20003', 'wrong account SID or password, or account not active'),
      ],
      [json(429, { code: 20429, status: 429 }), { kind: 'busy' }],
      [json(503, { code: 20503, status: 503 }), { kind: 'failing' }],
      [json(200, {}), { kind: 'unknown' }],
    ],
  },
  vonage: {
    values: USER,
    request: { method: 'POST', path: '/sms/json', authorization: BASIC },
    body: {
      from: 'OKUL',
      to: '905551112233',
      type: 'unicode',
      text: TEXT,
      ttl: '299999',
      'client-ref': SMS.id,
    },
    answers: [
      [vonage({ status: '0', 'message-id': ID }), sent(ID, { parts: 1 })],
      [vonage({ status: '1', 'error-text': 'Throttled' }), { kind: 'busy', status: 200 }],
      [vonage({ status: '5', 'error-text': 'Internal Error' }), { kind: 'failing' }],
      [vonage({ status: '3', 'error-text': '+905551112233' }), rejected('3')],
      [vonage({ status: '4', 'error-text': 'Bad Credentials' }), stopped('4', 'wrong API key or secret')],
      [vonage({ status: '9', 'error-text': 'Partner quota exceeded' }), stopped('9', 'no credit left')],
      [vonage({ status: '99' }), { kind: 'unknown', reason: { code: 'answer_unmatched', detail: '99' } }],
    ],
  },
  'netgsm-get': {
    values: USER,
    request: {
      method: 'GET',
      path: `/sms/send/get?usercode=us%26er&password=p%40%3C%221&gsmno=905551112233&message=${encodeURIComponent(TEXT)}&msgheader=OKUL&dil=TR`,
    },
    body: undefined,
    answers: [
      [text('00 123456789'), sent('123456789')],
      [text('02 123456789\n'), sent('123456789')],
      [text('30'), stopped('30', wrongPassword)],
      [text('80'), { kind: 'busy' }],
      [text('70'), rejected('70')],
      [text('<html>'), { kind: 'unknown' }],
      [text('', 500), { kind: 'failing' }],
    ],
  },
  'netgsm-otp': {
    values: USER,
    request: { method: 'POST', path: '/sms/send/otp' },
    body: OTP_BODY,
    answers: [
      [otp('<code>0</code><jobID>17</jobID>'), sent('17')],
      [otp('<code>100</code><error>hata</error>'), { kind: 'failing' }],
      [otp('<code>30</code><error>hata</error>'), stopped('30', wrongPassword)],
      [otp('<code>60</code>'), stopped('60', 'the account has no OTP package')],
      [otp('<code>50</code>'), rejected('50')],
      [text('20'), rejected('20')],
      [otp('<jobID>17</jobID>'), { kind: 'unknown' }],
    ],
  },
  'netgsm-rest': {
    values: USER,
    request: { method: 'POST', path: '/sms/rest/v2/send', authorization: BASIC },
    body: { msgheader: 'OKUL', encoding: 'TR', iysfilter: '0', messages: [{ msg: TEXT, no: '5551112233' }] },
    answers: [
      [json(200, { code: '00', jobid: '17', description: 'queued' }), sent('17')],
      [json(406, { code: '30', description: 'hata' }), stopped('30', wrongPassword)],
      [json(406, { code: '80', description: 'hata' }), { kind: 'busy', status: 406 }],
      [json(406, { code: '70', description: 'hata' }), rejected('70')],
      [json(406, {}), { kind: 'unknown' }],
      [text('slow down', 429), { kind: 'busy' }],
    ],
  },
  verimor: {
    values: USER,
    request: { method: 'POST', path: '/v2/send.json' },
    body: {
      username: 'us&er',
      password: 'p@<"1',
      source_addr: 'OKUL',
      custom_id: SMS.id,
      valid_for: '00:05',
      messages: [{ msg: TEXT, dest: '905551112233' }],
    },
    answers: [
      [text('17'), sent('17')],
      [text('INSUFFICIENT_CREDITS', 400), stopped('INSUFFICIENT_CREDITS', 'no credit left')],
      [text('INVALID_DESTINATION_ADDRESS', 400), rejected('INVALID_DESTINATION_ADDRESS')],
      [text('SOMETHING_ELSE', 400), rejected('SOMETHING_ELSE')],
      [text('', 401), stopped(undefined, 'wrong user or password, or IP address not allowed')],
      [
        { status: 429, headers: { 'Retry-After': '1' } },
        { kind: 'busy', retryAfterMs: 1000 },
      ],
    ],
  },
  infobip: {
    values: { apiKey: 'key', sender: 'OKUL' },
    request: { method: 'POST', path: '/sms/3/messages', authorization: 'App key' },
    body: {
      messages: [
        {
          sender: 'OKUL',
          destinations: [{ to: '905551112233', messageId: SMS.id }],
          content: { text: TEXT },
          options: { validityPeriod: { amount: 5, timeUnit: 'MINUTES' } },
        },
      ],
    },
    answers: [
      [infobip(99, 'PENDING_NEW_NAME', 'PENDING'), sent(ID, { parts: 2 })],
      [infobip(99, 'REJECTED_NEW_NAME', 'REJECTED'), rejected('REJECTED')],
      [infobip(26, 'PENDING_ACCEPTED'), sent(ID, { parts: 2 })],
      [infobip(64, 'REJECTED_INTERNAL_ERROR'), { kind: 'failing' }],
      [infobip(12, 'REJECTED_NOT_ENOUGH_CREDITS'), stopped('REJECTED_NOT_ENOUGH_CREDITS', 'no credit left')],
      [infobip(52, 'REJECTED_DESTINATION'), rejected('REJECTED_DESTINATION')],
      [
        json(401, {
          requestError: { serviceException: { messageId: 'UNAUTHORIZED', text: 'Invalid login' } },
        }),
        stopped('UNAUTHORIZED', 'wrong API key'),
      ],
      [infobip(99, 'SOMETHING_NEW'), { kind: 'unknown' }],
    ],
  },
  json: {
    values: { token: 'key', sender: 'OKUL' },
    request: { method: 'POST', path: '/', authorization: 'Bearer key' },
    body: { id: SMS.id, to: '+905551112233', text: TEXT, sender: 'OKUL', lifeSeconds: 299 },
    answers: [
      [json(202, { id: '17' }), sent('17')],
      [json(422, { code: 'bad_number' }), rejected('bad_number')],
      [json(402, {}), stopped(undefined, 'the account may not send')],
      [json(503, {}), { kind: 'failing' }],
      [json(302, {}), { kind: 'unknown' }],
    ],
  },
};

it('every preset has test cases', () => {
  expect(
    readPresets()
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(Object.keys(CASES).toSorted());
});

it.each(Object.entries(CASES))('the cases of %s cover every class', (_preset, { answers }) => {
  const kinds = answers.map(([, outcome]) => ('kind' in outcome ? outcome.kind : undefined));
  expect(kinds).toEqual(expect.arrayContaining(['sent', 'refused', 'stopped']));
  expect(kinds.some((kind) => kind === 'busy' || kind === 'failing')).toBe(true);
});

describe.each(Object.entries(CASES))('the preset %s', (preset, { values, request, body, answers }) => {
  const provider = useProvider();
  const open = useGateways();
  const send = async () => {
    const place = preset === 'json' ? { url: `${provider().url}/` } : { base: provider().url };
    const gateway = open({ preset, ...place, ...values });
    const outcome = await gateway.send(MESSAGE, patience(provider()));
    await gateway.close();
    expectNoPersonalData(outcome);
    return outcome;
  };

  it('makes the request that the provider documents, whatever the text contains', async () => {
    await send();
    const [received] = provider().received;
    const { authorization, 'content-type': type = '' } = received?.headers ?? {};
    expect({ ...received, authorization }).toMatchObject(request);
    expect(bodyOf(type, received?.body ?? '')).toEqual(body);
  });

  it.each(answers)('interprets the answer %j', async (answer, outcome) => {
    provider().next.push(answer);
    expect(await send()).toMatchObject(outcome);
  });

  it.each<readonly [Behaviour, string]>([
    [{ status: 500 }, 'failing'],
    [{ status: 429 }, 'busy'],
    [{ status: 200, cutAfter: '0' }, 'unknown'],
    ['resets after reading', 'unknown'],
    ['never answers', 'unknown'],
  ])('interprets the common answer %j', async (behaviour, kind) => {
    provider().next.push(behaviour);
    const accepts =
      ['verimor', 'json'].includes(preset) && typeof behaviour === 'object' && behaviour.status === 200;
    expect(await send()).toMatchObject({ kind: accepts ? 'sent' : kind });
  });
});

function bodyOf(type: string, body: string): unknown {
  if (type.includes('json')) return JSON.parse(body);
  if (type.includes('form')) return Object.fromEntries(new URLSearchParams(body));
  return body === '' ? undefined : body;
}

it.each(readPresets())('%s has no rule that an earlier one shadows', (name, { gateway }) => {
  // Only its rules are read.
  expect(shadowedRules([{ ...gateway, name } as unknown as Gateway], [])).toEqual([]);
});

describe('Vonage', () => {
  const provider = useProvider();
  const open = useGateways();

  it.each([
    ['Kod 123456', 'text'],
    ['a'.repeat(160), 'text'],
    ['{€}', 'text'],
    ['Şifre 123456', 'unicode'],
  ])('gets %s as %s', async (content, type) => {
    const gateway = open({ preset: 'vonage', ...USER, base: provider().url });
    await gateway.send({ ...SMS, text: content }, new AbortController().signal);
    await gateway.close();
    expect(new URLSearchParams(provider().received[0]?.body).get('type')).toBe(type);
  });
});
