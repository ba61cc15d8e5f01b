// Gateways without a preset that report what became of SMS, written out as an operator would.

import { type Behaviour, writeGatewaysFile } from '../../../scripts/harness/delivery';
import { readGateways } from '../../../src/delivery';
import { type ReceiptCall, ReceiptReader } from '../../../src/features/receipts/receipt-reader';
import { askAbout } from '../../../src/features/receipts/receipt-poll';
import { useGateways } from '../../delivery/gateways/use-gateways';
import {
  describedAt,
  json,
  MESSAGE,
  rejected,
  sent,
  stopped,
  testWrittenGateway,
  text,
  type WrittenCase,
} from '../../delivery/gateways/written-out-kit';
import { patience, SMS } from '../../delivery/transports/transport-kit';
import { useProvider } from '../../delivery/use-provider';
import { useFolderPerTest } from '../../harness/use-folder';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const TEXT_IN_URL = encodeURIComponent(MESSAGE.text);
const SECRET = 'S3cret-of-this-gateway';
const RECEIPT_URL = `https://sms.school.example/receipts/gateway/${SECRET}`;

const call = (more: Partial<ReceiptCall>): ReceiptCall => ({
  ...{ method: 'POST', query: '', contentType: '', body: '', header: () => undefined },
  ...more,
});
const posted = (value: unknown) => call({ contentType: 'application/json', body: JSON.stringify(value) });
const form = (fields: Record<string, string>, query = '') => {
  const body = new URLSearchParams(fields).toString();
  return call({ contentType: 'application/x-www-form-urlencoded', body, query });
};
const receipt = (providerId: string, state: string, code: string | null = null, more = {}) => ({
  ...{ gateway: 'gateway', providerId, state, code, at: NOW, parts: null, ...more },
});

interface ReportingCase extends WrittenCase {
  /** Calls with receipts, or answers to a request for them. */
  readonly receipts: readonly (readonly [ReceiptCall | Behaviour, readonly unknown[]])[];
}

const CASES: Readonly<Record<string, ReportingCase>> = {
  // https://developers.messagebird.com/api/sms-messaging
  'MessageBird, JSON and receipts by GET': {
    description: {
      url: 'BASE/messages',
      type: 'json',
      body: {
        originator: 'OKUL',
        recipients: ['{phone}'],
        body: '{text}',
        reference: '{id}',
        validity: '{lifeSeconds}',
        datacoding: 'auto',
        reportUrl: '{receiptUrl}',
      },
      values: { key: 'k', receiptUrl: RECEIPT_URL },
      authorization: { type: 'header', name: 'Authorization', value: 'AccessKey {key}' },
      number: 'digits',
      code: { json: '/errors/0/code' },
      providerId: { json: '/id' },
      answers: [
        { status: 201, class: 'accepted' },
        { code: [2, 25, 101], class: 'stopped', meaning: 'wrong access key, or no balance' },
        { code: [9, 10, 21], class: 'rejected' },
        { code: 98, class: 'retry' },
      ],
      receipts: {
        providerId: { json: '/id' },
        status: { json: '/status' },
        code: { json: '/statusErrorCode' },
        time: { json: '/statusDatetime' },
        states: [
          { status: 'delivered', state: 'delivered' },
          { status: ['sent', 'buffered', 'scheduled'], state: 'waiting' },
          { code: 1, state: 'undelivered', meaning: 'the number does not exist' },
          { status: ['expired', 'delivery_failed'], state: 'undelivered' },
        ],
      },
    },
    request: ({ headers, body }) => {
      expect(headers.authorization).toBe('AccessKey k');
      expect(JSON.parse(body)).toMatchObject({ recipients: ['905551112233'], validity: 300 });
    },
    answers: [
      [json(201, { id: 'm1', recipients: { items: [{ status: 'sent' }] } }), sent('m1')],
      [json(401, { errors: [{ code: 2, description: 'Request not allowed' }] }), stopped('2')],
      [json(422, { errors: [{ code: 25, description: 'Not enough balance' }] }), stopped('25')],
      [json(422, { errors: [{ code: 9, description: 'no (correct) recipients found' }] }), rejected('9')],
      [json(429, { errors: [] }), { kind: 'busy' }],
    ],
    receipts: [
      [
        call({
          method: 'GET',
          query: 'id=m1&status=delivered&statusDatetime=2026-03-02T09%3A59%3A00%2B00%3A00',
        }),
        [receipt('m1', 'delivered', null, { at: NOW - 60_000, isExact: true })],
      ],
      [
        call({ method: 'GET', query: 'id=m1&status=delivery_failed&statusErrorCode=1' }),
        [receipt('m1', 'undelivered', '1: the number does not exist')],
      ],
    ],
  },
  // https://developers.sinch.com/docs/sms/api-reference/
  'Sinch, with the end as a date': {
    description: {
      url: 'BASE/xms/v1/{plan}/batches',
      type: 'json',
      body: {
        from: 'OKUL',
        to: ['{phone}'],
        body: '{text}',
        expire_at: '{expiresAt}',
        delivery_report: 'per_recipient',
        callback_url: '{receiptUrl}',
      },
      values: { plan: 'p1', token: 't', receiptUrl: RECEIPT_URL },
      authorization: { type: 'bearer', token: '{token}' },
      number: 'digits',
      code: { json: '/code' },
      providerId: { json: '/id' },
      answers: [
        { status: 201, class: 'accepted' },
        { status: 403, class: 'stopped' },
        { status: 400, class: 'rejected' },
      ],
      receipts: {
        providerId: { json: '/batch_id' },
        status: { json: '/status' },
        code: { json: '/code' },
        states: [
          { status: 'Delivered', state: 'delivered' },
          { status: ['Queued', 'Dispatched'], state: 'waiting' },
          { status: ['Failed', 'Expired', 'Rejected', 'Aborted'], state: 'undelivered' },
        ],
      },
    },
    request: ({ body }) => {
      const { expire_at: end = '' } = JSON.parse(body) as { expire_at?: string };
      expect(end).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(Math.abs(Date.parse(end) - Date.now() - 300_000)).toBeLessThan(60_000);
    },
    answers: [
      [json(201, { id: 's1', canceled: false }), sent('s1')],
      [json(401, { code: 'unauthorized' }), stopped('unauthorized')],
      [json(403, { code: 'forbidden' }), { kind: 'stopped' }],
      [json(400, { code: 'syntax_invalid_parameter_format' }), rejected('syntax_invalid_parameter_format')],
    ],
    receipts: [
      [
        posted({ type: 'recipient_delivery_report_sms', batch_id: 's1', code: 401, status: 'Dispatched' }),
        ['waiting'],
      ],
      [posted({ batch_id: 's1', code: 402, status: 'Failed' }), [receipt('s1', 'undelivered', '402')]],
    ],
  },
  // https://www.smsapi.com/docs
  'SMSAPI, whose errors come with 200 and whose callbacks wait for OK': {
    description: {
      url: 'BASE/sms.do',
      type: 'form',
      body: {
        to: '{phone}',
        message: '{text}',
        from: 'OKUL',
        format: 'json',
        encoding: 'utf-8',
        expiration_date: '{expiresAtSeconds}',
        notify_url: '{receiptUrl}',
      },
      values: { token: 't', receiptUrl: RECEIPT_URL },
      authorization: { type: 'bearer', token: '{token}' },
      number: 'digits',
      code: [{ json: '/error' }, { json: '/list/0/status' }],
      providerId: { json: '/list/0/id' },
      answers: [
        { code: ['QUEUE', 'SENT', 'DELIVERED'], class: 'accepted' },
        { code: [101, 102, 103, 105], class: 'stopped', meaning: 'wrong token, no points, or address' },
        { code: 13, class: 'rejected', meaning: 'not a valid number' },
        { code: [201, 203, 999], class: 'retry', pauseSeconds: 5 },
      ],
      receipts: {
        providerId: { json: '/MsgId' },
        status: { json: '/status' },
        time: { json: '/donedate' },
        states: [
          { status: 404, state: 'delivered' },
          { status: [402, 403, 409], state: 'waiting' },
          { status: [405, 406, 407, 408, 410, 412], state: 'undelivered' },
        ],
        reply: 'OK',
      },
    },
    request: ({ body }) => {
      const { message, expiration_date: end } = Object.fromEntries(new URLSearchParams(body));
      expect(message).toBe(MESSAGE.text);
      expect(Math.abs(Number(end) - Date.now() / 1000 - 300)).toBeLessThan(60);
    },
    answers: [
      [json(200, { count: 1, list: [{ id: 'a1', points: 0.2, status: 'QUEUE' }] }), sent('a1')],
      [json(200, { error: 101, message: 'Authorization failed' }), stopped('101')],
      [json(200, { error: 103, message: 'Not enough credits' }), stopped('103')],
      [json(200, { error: 13, message: 'No correct phonenumbers' }), rejected('13')],
      [json(200, { error: 201, message: 'Internal' }), { kind: 'failing', retryAfterMs: 5000 }],
    ],
    receipts: [
      [
        call({ method: 'GET', query: `MsgId=a1&status=404&donedate=${String(NOW / 1000 - 30)}` }),
        [receipt('a1', 'delivered', null, { at: NOW - 30_000, isExact: true })],
      ],
      [call({ method: 'GET', query: 'MsgId=a1&status=403' }), ['waiting']],
      [call({ method: 'GET', query: 'MsgId=a1&status=405' }), [receipt('a1', 'undelivered', '405')]],
    ],
  },
  // https://www.mutlucell.com.tr/toplusmsapi/
  'Mutlucell, XML answered with text and asked for receipts': {
    description: {
      url: 'BASE/smsgw-ws/sndblkex',
      type: 'xml',
      body:
        '<?xml version="1.0" encoding="UTF-8"?><smspack ka="{user}" pwd="{password}" org="OKUL">' +
        '<mesaj><metin>{text}</metin><nums>{phone}</nums></mesaj></smspack>',
      values: { user: 'u', password: 'p"&' },
      number: 'national',
      code: { pattern: '^\\s*(?<code>\\$|\\d{2})' },
      providerId: { pattern: '^\\s*\\$(?<id>\\d+)' },
      answers: [
        { code: '$', class: 'accepted' },
        { code: [21, 22, 23, 30], class: 'stopped', meaning: 'title, credit, password or account' },
        { code: [24, 25], class: 'busy' },
        { code: 20, class: 'rejected' },
      ],
      receipts: {
        request: {
          url: 'BASE/smsgw-ws/gtblkrprtex',
          method: 'POST',
          type: 'xml',
          body: '<smsrapor ka="{user}" pwd="{password}" id="{providerIds}" />',
        },
        status: { pattern: '^\\s*\\d+\\s+(?<status>\\d)' },
        states: [
          { status: 3, state: 'delivered' },
          { status: [0, 1, 2], state: 'waiting' },
          { status: [4, 5, 6, 7, 8, 9], state: 'undelivered' },
        ],
      },
    },
    request: ({ body }) => {
      expect(body).toContain('pwd="p&quot;&amp;"');
      expect(body).toContain('<metin>Kod: 1+1 &amp; &quot;ş&quot;</metin><nums>05551112233</nums>');
    },
    answers: [
      [text('$47#1.0'), sent('47', { awaitsReceipt: true })],
      [text('23'), stopped('23')],
      [text('22'), stopped('22')],
      [text('25'), { kind: 'busy' }],
      [text('20'), rejected('20')],
      [text('<html>'), { kind: 'unknown' }],
    ],
    receipts: [
      [text('905551112233 3\n'), [receipt('47', 'delivered')]],
      [text('905551112233 0\n'), ['waiting']],
      [text('905551112233 4\n'), [receipt('47', 'undelivered', '4')]],
    ],
  },
  // https://www.toplusmsapi.com/en/sms/send/json/ and its page of status codes
  'İleti Merkezi, JSON asked for receipts': {
    description: {
      url: 'BASE/v1/send-sms/json',
      type: 'json',
      body: {
        request: {
          authentication: { key: '{key}', hash: '{hash}' },
          order: {
            sender: 'OKUL',
            sendDateTime: [],
            iys: '0',
            message: { text: '{text}', receipents: { number: ['{phone}'] } },
          },
        },
      },
      values: { key: 'k', hash: 'h' },
      number: 'national-without-zero',
      code: { json: '/response/status/code' },
      providerId: { json: '/response/order/id' },
      answers: [
        { code: 200, class: 'accepted' },
        { code: [401, 402, 450], class: 'stopped', meaning: 'key, balance or title' },
        { code: [451, 452, 454, 466], class: 'rejected' },
      ],
      receipts: {
        request: {
          url: 'BASE/v1/get-report/json',
          method: 'POST',
          type: 'json',
          body: {
            request: { authentication: { key: '{key}', hash: '{hash}' }, order: { id: '{providerIds}' } },
          },
        },
        status: { json: '/response/order/message/0/status' },
        states: [
          { status: 111, state: 'delivered' },
          { status: [110, 113], state: 'waiting' },
          { status: 112, state: 'undelivered' },
        ],
      },
    },
    request: ({ body }) => {
      expect(JSON.parse(body)).toMatchObject({
        request: { order: { sendDateTime: [], message: { receipents: { number: ['5551112233'] } } } },
      });
    },
    answers: [
      [
        json(200, { response: { status: { code: '200', message: 'ok' }, order: { id: '47' } } }),
        sent('47', { awaitsReceipt: true }),
      ],
      [json(401, { response: { status: { code: 401 } } }), stopped('401')],
      [json(402, { response: { status: { code: '402' } } }), stopped('402')],
      [json(452, { response: { status: { code: '452' } } }), rejected('452')],
    ],
    receipts: [
      [
        json(200, { response: { order: { id: '47', message: [{ number: '+905551112233', status: 111 }] } } }),
        [receipt('47', 'delivered')],
      ],
      [
        json(200, { response: { order: { message: [{ status: '112' }] } } }),
        [receipt('47', 'undelivered', '112')],
      ],
    ],
  },
  // https://docs.jasminsms.com/en/latest/apis/ja-http/index.html
  'Jasmin by GET, with text as UCS-2 in hexadecimal digits': {
    description: {
      method: 'GET',
      url:
        'BASE/send?username={user}&password={password}&to={phone}&coding=8&hex-content={textHex}' +
        '&validity-period={lifeMinutes}&dlr=yes&dlr-level=3&dlr-method=POST&dlr-url={receiptUrl}',
      values: { user: 'u', password: 'p', receiptUrl: RECEIPT_URL },
      number: 'digits',
      code: { pattern: '^Error "(?<error>[^"]+)"' },
      providerId: { pattern: '^Success "(?<id>[^"]+)"' },
      answers: [
        { status: 200, class: 'accepted' },
        { status: 403, class: 'stopped' },
        { status: 412, class: 'rejected' },
      ],
      receipts: {
        providerId: { json: '/id' },
        status: { json: '/message_status' },
        code: { json: '/err' },
        states: [
          { status: 'DELIVRD', state: 'delivered' },
          { status: ['ESME_ROK', 'ACCEPTD', 'ENROUTE'], state: 'waiting' },
          { status: ['UNDELIV', 'EXPIRED', 'REJECTD', 'DELETED', 'UNKNOWN'], state: 'undelivered' },
        ],
        reply: 'ACK/Jasmin',
      },
    },
    request: ({ path }) => {
      const hex = Buffer.from(MESSAGE.text, 'utf16le').swap16().toString('hex').toUpperCase();
      expect(path).toContain(`hex-content=${hex}&validity-period=5&`);
      expect(path).toContain(`dlr-url=${encodeURIComponent(RECEIPT_URL)}`);
    },
    answers: [
      [text('Success "07033084-5cfd-4812"'), sent('07033084-5cfd-4812')],
      [text('Error "Authentication failure for username:u"', 403), { kind: 'stopped' }],
      [text('Error "No route found"', 412), { kind: 'refused' }],
    ],
    receipts: [
      [form({ id: 'j1', message_status: 'ESME_ROK', level: '1' }), ['waiting']],
      [form({ id: 'j1', message_status: 'DELIVRD', level: '2' }), [receipt('j1', 'delivered')]],
      [form({ id: 'j1', message_status: 'UNDELIV', err: '001' }), [receipt('j1', 'undelivered', '001')]],
    ],
  },
  // https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html
  'Kannel by GET, which gives no id': {
    description: {
      method: 'GET',
      url:
        'BASE/cgi-bin/sendsms?username={user}&password={password}&to={phone}&text={text}&coding=2' +
        '&charset=utf-8&validity={lifeMinutes}&dlr-mask=31&dlr-url={receiptUrl}%3Fid%3D{id}%26type%3D%25d',
      values: { user: 'u', password: 'p', receiptUrl: RECEIPT_URL },
      code: { pattern: '^(?<code>[0-9]):' },
      providerId: '{id}',
      answers: [
        { status: 202, code: [0, 3], class: 'accepted' },
        { status: 403, class: 'stopped' },
        { status: '4xx', class: 'rejected' },
      ],
      receipts: {
        providerId: { json: '/id' },
        status: { json: '/type' },
        states: [
          { status: 1, state: 'delivered' },
          { status: [4, 8], state: 'waiting' },
          { status: [2, 16, 34], state: 'undelivered' },
        ],
      },
    },
    request: ({ path }) => {
      expect(path).toContain(`&text=${TEXT_IN_URL}&`);
      const url = new URL(path, 'http://x').searchParams.get('dlr-url');
      expect(url).toBe(`${RECEIPT_URL}?id=${SMS.id}&type=%d`);
    },
    answers: [
      [text('0: Accepted for delivery', 202), sent(SMS.id, { awaitsReceipt: true })],
      [text('Authorization failed for sendsms', 403), { kind: 'stopped' }],
      [text('Missing receiver number', 400), { kind: 'refused' }],
      [text('Temporal failure, try again later.', 503), { kind: 'failing' }],
    ],
    receipts: [
      [call({ method: 'GET', query: `id=${SMS.id}&type=1` }), [receipt(SMS.id, 'delivered')]],
      [call({ method: 'GET', query: `id=${SMS.id}&type=8` }), ['waiting']],
      [form({ from: 'x' }, `id=${SMS.id}&type=16`), [receipt(SMS.id, 'undelivered', '16')]],
    ],
  },
  // A gateway that reports several SMS in one document.
  'receipts in a list of XML elements': {
    description: {
      url: 'BASE/send',
      type: 'xml',
      body: '<sms to="{phone}" report="{receiptUrl}">{text}</sms>',
      providerId: { xml: '@id' },
      answers: [{ status: 200, class: 'accepted' }],
      values: { receiptUrl: RECEIPT_URL },
      receipts: {
        list: { xml: 'reports/sms' },
        providerId: { xml: '@id' },
        status: { xml: 'state' },
        states: [
          { status: 'OK', state: 'delivered' },
          { status: 'NO', state: 'undelivered' },
        ],
      },
    },
    request: ({ body }) => {
      expect(body).toContain(`report="${RECEIPT_URL}"`);
    },
    answers: [[text('<r id="x1"/>'), sent('x1', { awaitsReceipt: true })]],
    receipts: [
      [
        call({
          contentType: 'text/xml',
          body:
            '<a:all xmlns:a="urn:a"><reports><sms id="x1"><state>OK</state></sms></reports>' +
            '<reports><a:sms id="x2"><state>NO</state></a:sms><other/></reports></a:all>',
        }),
        [receipt('x1', 'delivered'), receipt('x2', 'undelivered', 'NO')],
      ],
      [call({ contentType: 'text/xml', body: '<all><reports/></all>' }), []],
      [call({ contentType: 'text/xml', body: '<all' }), []],
    ],
  },
  // https://www.netgsm.com.tr/dokuman/, the report of the older interface
  'receipts in lines of text': {
    description: {
      url: 'BASE/send',
      type: 'form',
      body: { to: '{phone}', text: '{text}' },
      providerId: { pattern: '^00 (?<id>\\d+)' },
      answers: [{ status: 200, class: 'accepted' }],
      receipts: {
        request: { url: 'BASE/report?ids={providerIds}', ids: 100 },
        list: { pattern: '(?<line>\\d+ \\d+ \\d+ [^<]*)<br>' },
        providerId: { pattern: '^(?<id>\\d+)' },
        status: { pattern: '^\\d+ \\d+ (?<status>\\d+)' },
        states: [
          { status: 1, state: 'delivered' },
          { status: 0, state: 'waiting' },
          { status: [2, 3], state: 'undelivered' },
        ],
      },
    },
    request: ({ body }) => {
      expect(body).toContain('to=');
    },
    answers: [[text('00 47'), sent('47', { awaitsReceipt: true })]],
    receipts: [
      [
        text('47 905551112233 1 20<br>48 905551112244 0 20<br>49 905551112255 3 30<br>'),
        [receipt('47', 'delivered'), 'waiting', receipt('49', 'undelivered', '3')],
      ],
      [text('60'), []],
    ],
  },
};

describe.each(Object.entries(CASES))('%s', (_name, { receipts, ...described }) => {
  testWrittenGateway(described);

  const { description, before = [] } = described;
  const provider = useProvider();
  const open = useGateways();
  const folder = useFolderPerTest();

  it.each(receipts)('has its receipt %j read', async (given, expected) => {
    const written = describedAt(provider().url, description);
    if (!(typeof given === 'object' && 'method' in given)) {
      provider().next.push(...before, given);
      const opened = open(written);
      const read = opened.asked && askAbout(opened.asked, ['47'], NOW, patience(provider()));
      expect(await read).toEqual(expected);
      await opened.close();
      return;
    }
    const [gateway] = readGateways(writeGatewaysFile(folder(), written)).gateways;
    const reader = gateway && ReceiptReader.of(gateway);
    expect(reader?.isSecret(SECRET)).toBe(true);
    expect(reader?.read(given, NOW)).toEqual(expected);
  });
});
