// Gateways without a preset, written out as an operator would, against a stand-in that answers as each one publishes.

import { createHash, createHmac } from 'node:crypto';

import {
  json,
  MESSAGE,
  rejected,
  sent,
  stopped,
  testWrittenGateway,
  text,
  type WrittenCase,
} from './written-out-kit';

const BASE64_KEY = Buffer.from('a key of bytes \u00ff').toString('base64');

const CASES: Readonly<Record<string, WrittenCase>> = {
  // https://docs.clickatell.com/channels/sms-channels/sms-api-reference/
  'Clickatell, which accepts a request and refuses its only message': {
    description: {
      url: 'BASE/messages',
      type: 'json',
      body: { content: '{text}', to: ['{phone}'], validityPeriod: '{lifeMinutes}', clientMessageId: '{id}' },
      values: { key: 'k' },
      authorization: { type: 'header', name: 'Authorization', value: '{key}' },
      number: 'digits',
      code: [{ json: '/messages/0/error/code' }, { json: '/error/code' }, { json: '/messages/0/accepted' }],
      providerId: { json: '/messages/0/apiMessageId' },
      answers: [
        { status: 202, code: 'true', class: 'accepted' },
        { code: [1, 2, 7, 20], class: 'stopped', meaning: 'key, account, address or balance' },
        { code: [18, 19], class: 'retry' },
        { code: 43, class: 'busy' },
        { code: [25, 26], class: 'rejected' },
      ],
    },
    request: ({ headers, body }) => {
      expect(headers.authorization).toBe('k');
      expect(JSON.parse(body)).toMatchObject({ validityPeriod: 5 });
    },
    answers: [
      [
        json(202, { messages: [{ apiMessageId: 'c1', accepted: true, error: null }], error: null }),
        sent('c1'),
      ],
      [json(207, { messages: [{ accepted: false, error: { code: 25 } }] }), rejected('25')],
      [json(402, { messages: [], error: { code: 20 } }), stopped('20')],
      [json(202, { messages: [{ accepted: false, error: { code: 18 } }] }), { kind: 'failing' }],
      [json(202, { messages: [{ accepted: false }] }), { kind: 'unknown' }],
    ],
  },
  // https://developer.orange.com/apis/sms/
  'Orange, with OAuth client credentials and an id in an address': {
    description: {
      url: 'BASE/smsmessaging/v1/outbound/tel%3A%2B{sender}/requests',
      type: 'json',
      body: {
        outboundSMSMessageRequest: {
          address: 'tel:{phone}',
          senderAddress: 'tel:+{sender}',
          outboundSMSTextMessage: { message: '{text}' },
        },
      },
      values: { sender: '2250000', client: 'i', secret: 's' },
      authorization: {
        type: 'oauth',
        tokenUrl: 'BASE/oauth/v3/token',
        clientId: '{client}',
        clientSecret: '{secret}',
      },
      code: [
        { json: '/requestError/policyException/messageId' },
        { json: '/requestError/serviceException/messageId' },
      ],
      providerId: { pattern: '"resourceURL"\\s*:\\s*"[^"]*/(?<id>[^"/]+)"' },
      answers: [
        { status: 201, class: 'accepted' },
        { code: 'POL0001', class: 'stopped', meaning: 'no bundle left' },
        { code: ['SVC0004', 'SVC0002'], class: 'rejected' },
      ],
    },
    before: [json(200, { access_token: 'tok', expires_in: '3600' })],
    request: ({ path, headers, body }) => {
      expect(path).toBe('/smsmessaging/v1/outbound/tel%3A%2B2250000/requests');
      expect(headers.authorization).toBe('Bearer tok');
      expect(body).toContain('"tel:+905551112233"');
    },
    answers: [
      [
        json(201, {
          outboundSMSMessageRequest: { resourceURL: 'https://api.orange.com/outbound/requests/o-1' },
        }),
        sent('o-1'),
      ],
      [json(403, { requestError: { policyException: { messageId: 'POL0001' } } }), stopped('POL0001')],
      [json(400, { requestError: { serviceException: { messageId: 'SVC0004' } } }), rejected('SVC0004')],
    ],
  },
  // https://documenter.getpostman.com/view/663428/RzfmES4z (Eskiz)
  'a gateway with a login of its own': {
    description: {
      url: 'BASE/api/message/sms/send',
      type: 'form',
      body: { mobile_phone: '{phone}', message: '{text}', from: '4546' },
      values: { email: 'a@b', password: 'p' },
      authorization: {
        type: 'login',
        request: {
          url: 'BASE/api/auth/login',
          type: 'json',
          body: { email: '{email}', password: '{password}' },
        },
        token: { json: '/data/token' },
        lifeSeconds: 2_592_000,
      },
      number: 'digits',
      code: { json: '/status' },
      providerId: { json: '/id' },
      answers: [
        { code: 'waiting', class: 'accepted' },
        { status: 400, class: 'rejected' },
      ],
    },
    before: [json(200, { message: 'token_generated', data: { token: 'tok' } })],
    request: ({ headers }) => {
      expect(headers.authorization).toBe('Bearer tok');
    },
    answers: [
      [json(200, { id: 'e1', status: 'waiting', message: 'Waiting for SMS provider' }), sent('e1')],
      [json(400, { status: 'error' }), { kind: 'refused' }],
    ],
  },
  // https://learn.microsoft.com/en-us/azure/communication-services/tutorials/hmac-header-tutorial
  'Azure Communication Services, signed with a key in base64': {
    description: {
      url: 'BASE/sms?api-version=2021-03-07',
      type: 'json',
      body: { from: '+15005550006', smsRecipients: [{ to: '{phone}' }], message: '{text}' },
      values: { key: BASE64_KEY },
      authorization: {
        type: 'hmac',
        key: '{key}',
        keyEncoding: 'base64',
        over: '{method}\n{path}?{query}\n{date};{host};{bodyDigest}',
        encoding: 'base64',
        headers: {
          'x-ms-date': '{date}',
          'x-ms-content-sha256': '{bodyDigest}',
          Authorization: 'HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature={signature}',
        },
      },
      code: [{ json: '/value/0/httpStatusCode' }, { json: '/error/code' }],
      providerId: { json: '/value/0/messageId' },
      answers: [
        { status: 202, code: 202, class: 'accepted' },
        { code: 400, class: 'rejected' },
        { code: 429, class: 'busy' },
      ],
    },
    request: ({ headers, body }) => {
      const digest = createHash('sha256').update(body).digest('base64');
      const date = String(headers['x-ms-date']);
      expect(date).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
      const signed = `POST\n/sms?api-version=2021-03-07\n${date};${String(headers.host)};${digest}`;
      const key = Buffer.from(BASE64_KEY, 'base64');
      expect(headers['x-ms-content-sha256']).toBe(digest);
      expect(headers.authorization).toBe(
        'HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=' +
          createHmac('sha256', key).update(signed).digest('base64'),
      );
    },
    answers: [
      [json(202, { value: [{ messageId: 'z1', httpStatusCode: 202, successful: true }] }), sent('z1')],
      [json(202, { value: [{ httpStatusCode: 400, successful: false }] }), rejected('400')],
      [json(401, { error: { code: 'Denied' } }), { kind: 'stopped' }],
    ],
  },
  // https://help.ovhcloud.com (first steps with the API)
  'OVH, signed with a plain digest': {
    description: {
      url: 'BASE/1.0/sms/acc/jobs',
      type: 'json',
      body: { sender: 'OKUL', receivers: ['{phone}'], message: '{text}', validityPeriod: '{lifeMinutes}' },
      values: { secret: 's', consumer: 'c' },
      authorization: {
        type: 'hmac',
        algorithm: 'sha1',
        over: '{secret}+{consumer}+{method}+{url}+{body}+{timestamp}',
        headers: { 'X-Ovh-Timestamp': '{timestamp}', 'X-Ovh-Signature': '$1${signature}' },
      },
      code: { json: '/class' },
      providerId: { json: '/ids/0' },
      answers: [
        { status: 200, class: 'accepted' },
        { status: 403, class: 'stopped' },
        { status: 400, class: 'rejected' },
      ],
    },
    request: ({ headers, body }) => {
      const time = String(headers['x-ovh-timestamp']);
      const signed = `s+c+POST+http://${String(headers.host)}/1.0/sms/acc/jobs+${body}+${time}`;
      expect(headers['x-ovh-signature']).toBe(`$1$${createHash('sha1').update(signed).digest('hex')}`);
    },
    answers: [
      [json(200, { ids: [7], invalidReceivers: [] }), sent('7')],
      [json(403, { class: 'Client::Forbidden' }), { kind: 'stopped' }],
    ],
  },
  // https://developers.esendex.com/api-reference
  'Esendex, XML whose answer has its id in an attribute': {
    description: {
      url: 'BASE/v1.0/messagedispatcher',
      type: 'xml',
      body:
        '<messages><accountreference>EX1</accountreference><validity>0</validity>' +
        '<message><to>{phone}</to><body>{text}</body></message></messages>',
      values: { user: 'u', password: 'p' },
      authorization: { type: 'basic', user: '{user}', password: '{password}' },
      number: 'digits',
      code: { xml: 'error/code' },
      providerId: { xml: 'messageheader/@id' },
      answers: [
        { status: 200, class: 'accepted' },
        { status: [402, 403], class: 'stopped' },
        { status: 400, class: 'rejected' },
      ],
    },
    request: ({ body }) => {
      expect(body).toContain('<body>Kod: 1+1 &amp; &quot;ş&quot;</body>');
    },
    answers: [
      [
        text('<messageheaders batchid="b" xmlns="urn:x"><messageheader uri="u" id="x1" /></messageheaders>'),
        sent('x1'),
      ],
      [text('<errors><error><code>bad_number</code></error></errors>', 400), rejected('bad_number')],
      [text('', 402), { kind: 'stopped' }],
    ],
  },
  // A gateway that takes a list, a local date without separators, and text in base64.
  'a list at the top, with local dates': {
    description: {
      url: 'BASE/v1/bulk',
      type: 'json',
      body: [{ no: '{phone}', msg: '{textBase64}', start: '{now}', stop: '{expiresAt}' }],
      dates: { format: 'ddMMyyyyHHmm', offset: '+03:00' },
      answers: [{ status: 200, class: 'accepted' }],
    },
    request: ({ body }) => {
      const [each] = JSON.parse(body) as readonly Record<string, string>[];
      expect(Buffer.from(each?.['msg'] ?? '', 'base64').toString()).toBe(MESSAGE.text);
      const [, d, M, y, H, m] = /^(\d\d)(\d\d)(\d{4})(\d\d)(\d\d)$/.exec(each?.['stop'] ?? '') ?? [];
      const end = Date.parse(`${y ?? ''}-${M ?? ''}-${d ?? ''}T${H ?? ''}:${m ?? ''}:00+03:00`);
      expect(Math.abs(end - Date.now() - 300_000)).toBeLessThan(120_000);
    },
    answers: [
      [json(200, {}), sent()],
      [json(400, {}), { kind: 'unknown' }],
    ],
  },
};

describe.each(Object.entries(CASES))('%s', (_name, described) => {
  testWrittenGateway(described);
});
