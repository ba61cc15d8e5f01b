import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig, readSettings } from '../../src/config';
import { createTransports } from '../../src/delivery/transports/transports';
import { readDeliveryFile, Wording } from '../../src/delivery/wording';
import { SmsPrices } from '../../src/delivery/sms-prices';
import { MESSAGE_STATES } from '../../src/store';
import type { Behaviour } from '../../scripts/harness/delivery';
import { readRepositoryFile } from '../docs/repository-files';
import { useFolderPerTest } from '../harness/use-folder';
import { useProvider } from './use-provider';

/** Returns the fenced block of a document that holds this text. */
function block(document: string, text: string): string {
  const blocks = [...readRepositoryFile(document).matchAll(/^```\w+\n(.*?)^```$/gms)].map(
    ([, content = '']) => content,
  );
  const found = blocks.filter((content) => content.includes(text));
  if (found.length !== 1) throw new Error(`${document} has ${String(found.length)} blocks with ${text}`);
  return found[0] ?? '';
}

const folder = useFolderPerTest();
function file(name: string, content: string): string {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
}

interface Gateway {
  readonly host: string;
  readonly path: string;
  readonly authorization: string;
  /** What stands in the form. */
  readonly form: Readonly<Record<string, string>>;
  /** Answers as its documentation shows them, and what they mean. */
  readonly answers: readonly (readonly [Behaviour, object])[];
}

const TEXT = 'Kodunuz: 1+1=2 & %20 "çğışöü İŞ" {phone}\n€';
const SMS = { id: 'message-1', phone: '+905551112233', text: TEXT, lifeMs: 299_999 };

const json = (status: number, body: unknown): Behaviour => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body, undefined, 2),
});
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const vonage = (...messages: readonly object[]): Behaviour =>
  json(200, { 'message-count': String(messages.length), messages });
const vonagePart = {
  to: '905551112233',
  'message-id': 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab',
  status: '0',
  'remaining-balance': '3.14159265',
  'message-price': '0.03330000',
  network: '12345',
};

const GATEWAYS: readonly Gateway[] = [
  {
    host: 'api.twilio.com',
    path: '/2010-04-01/Accounts/YOUR_ACCOUNT_SID/Messages.json',
    authorization: basic('YOUR_ACCOUNT_SID', 'YOUR_AUTH_TOKEN'),
    form: { To: '+905551112233', From: '+15005550006', Body: TEXT, ValidityPeriod: '299' },
    answers: [
      [
        json(201, {
          account_sid: 'AC1',
          error_code: null,
          messaging_service_sid: null,
          sid: 'SM12',
          status: 'queued',
        }),
        { kind: 'sent', providerId: 'SM12' },
      ],
      [
        json(400, { code: 21211, message: 'Invalid To +905551112233', more_info: 'https://x', status: 400 }),
        { kind: 'refused', reason: { code: 'provider_rejected', status: 400, detail: '21211' } },
      ],
      [
        json(401, { code: 20003, message: 'Authenticate', more_info: 'https://x', status: 401 }),
        { kind: 'refused', reason: { code: 'credentials_rejected', status: 401, detail: '20003' } },
      ],
      [json(429, { code: 20429, message: 'Too Many Requests', status: 429 }), { kind: 'busy' }],
      [json(503, { code: 20503, message: 'Service unavailable', status: 503 }), { kind: 'failing' }],
    ],
  },
  {
    host: 'rest.nexmo.com',
    path: '/sms/json',
    authorization: basic('YOUR_API_KEY', 'YOUR_API_SECRET'),
    form: { from: 'School', to: '905551112233', type: 'unicode', text: TEXT, ttl: '299999' },
    answers: [
      [vonage(vonagePart), { kind: 'sent', providerId: vonagePart['message-id'] }],
      [
        vonage(vonagePart, { ...vonagePart, 'message-id': 'second' }),
        { kind: 'sent', providerId: vonagePart['message-id'] },
      ],
      [
        vonage({ status: '4', 'error-text': 'Bad Credentials' }),
        { kind: 'refused', reason: { code: 'success_missing', status: 200, detail: '4' } },
      ],
      [vonage({ status: '10', 'error-text': 'Too many binds' }), { kind: 'busy' }],
      [vonage({ status: '1', 'error-text': 'Throttled' }), { kind: 'busy', status: 200 }],
      [vonage(vonagePart, { status: '1', 'error-text': 'Throttled' }), { kind: 'refused' }],
      [{ status: 401 }, { kind: 'refused' }],
    ],
  },
];

describe.each(GATEWAYS)(
  'the settings for $host in docs/delivery.md',
  ({ host, path, authorization, form, answers }) => {
    const provider = useProvider();
    const send = async () => {
      const { config } = readSettings({}, file('.env', block('docs/delivery.md', `://${host}/`)));
      // As they stand, but for where the gateway is.
      const url = config.SMS_HTTP_URL.replace(`https://${host}`, provider().url);
      const { sms: channel } = createTransports({ ...config, SMS_HTTP_URL: url });
      const outcome = await channel.send(SMS, AbortSignal.timeout(5000));
      await channel.close();
      return outcome;
    };

    it('make the request that the gateway documents, whatever the text holds', async () => {
      await send();
      const [request] = provider().received;
      expect(request).toMatchObject({
        method: 'POST',
        path,
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual(form);
    });

    it.each(answers)('take %j for what it means', async (answer, outcome) => {
      provider().next.push(answer);
      expect(await send()).toMatchObject(outcome);
    });
  },
);

it('the delivery file in docs/texts-and-hours.md can be used', () => {
  const content = readDeliveryFile(file('delivery.json', block('docs/texts-and-hours.md', '"quietHours"')));
  expect(content.schools['https://okul.example']).toEqual({
    language: 'tr',
    timeZone: 'Europe/Istanbul',
    quietHours: { from: 21 * 60, until: 7 * 60 + 30 },
  });
  const { SMS_TEXT: smsText, PUSH_TITLE: pushTitle, PUSH_BODY: pushBody } = loadConfig({});
  const wording = new Wording({ smsText, pushTitle, pushBody }, content);
  expect(wording.sms('+905551112233', '1234')).toEqual({ text: 'Kodunuz: 1234', parts: 1 });
  expect(wording.sms('+4915123456789', '1234').text).toBe('Ihr Code: 1234');
  expect(content.countries['TR']).toMatchObject({ smsShiftTable: 'turkish', smsSuffix: ' B016' });
  const [june, july] = ['2026-06-30', '2026-07-01'].map((day) => new SmsPrices(content).of('TR', day)?.price);
  expect([june, july]).toEqual([12_500n, 13_200n]);
  expect(wording.push('https://schule.example', { title: 'Mathe', text: '2' })).toEqual({
    title: 'Neue Note: Mathe',
    body: '2',
  });
});

it('docs/push.md names the settings of Firebase Cloud Messaging', () => {
  const { config } = readSettings({}, file('.env', block('docs/push.md', 'PUSH_CHANNEL=fcm')));
  expect(config).toMatchObject({
    PUSH_CHANNEL: 'fcm',
    FCM_SERVICE_ACCOUNT: '/etc/school/firebase-key.json',
  });
});

it('docs/messages.md explains each state of a message', () => {
  const [, section = ''] = readRepositoryFile('docs/messages.md').split('\n## States\n');
  expect([...section.matchAll(/^- `([a-z]+)`: /gm)].map(([, state]) => state)).toEqual(MESSAGE_STATES);
});
