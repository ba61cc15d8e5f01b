import { englishText } from '../../../src/support/phrase';
import { adviceOn } from '../../../src/admin/reports/message-facts';
import { explanationFor } from '../../../src/admin/reports/waiting-text';
import { TimeText } from '../../../src/admin/reports/time-text';
import {
  adviceOnReason,
  type DeliveryRecord,
  type Hold,
  type Holds,
  NO_HOLDS,
  noWorker,
} from '../../../src/store';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const TIME = new TimeText('Europe/Istanbul');
const MOMENT = { now: NOW, holds: NO_HOLDS };
const MESSAGE: DeliveryRecord = {
  ...{
    id: 'M-1',
    channel: 'push',
    state: 'failed',
    recipient: 'DEV-1',
    school: '',
    attempts: 1,
    createdAt: NOW,
  },
  ...{
    updatedAt: NOW,
    nextAttemptAt: NOW,
    expiresAt: NOW + 1000,
    providerId: null,
    reason: null,
    caller: null,
  },
  ...{ requestId: null, withoutDevice: null, note: null },
  ...{ parts: null, receipt: null, receiptCode: null, receiptAt: null, isReceiptExact: false },
};

it('gives the advice on a reason after the meaning of the state', () => {
  const reason = { code: 'sender_mismatch' } as const;
  expect(
    adviceOn({ ...MESSAGE, reason }, MOMENT, TIME)
      .map(englishText)
      .join(' '),
  ).toBe(`Not sent. It will not be retried automatically. ${adviceOnReason(reason).join(' ')}`);
});

it.each<readonly [Partial<DeliveryRecord>, string]>([
  [{ state: 'queued' }, 'Waiting: due now; the next free worker will send it. Expires 13:00:01.'],
  [
    {
      ...{ state: 'queued', nextAttemptAt: NOW + 1000 },
      reason: { code: 'provider_failing', status: 503, gateway: 'okulsms' },
    },
    'Waiting: next attempt at 13:00:01 (HTTP 503). Expires 13:00:01.',
  ],
  [
    { state: 'queued', attempts: 0, nextAttemptAt: NOW + 1000 },
    'Waiting: quiet hours until 13:00:01. Expires 13:00:01.',
  ],
  [
    { state: 'queued', channel: 'mark', nextAttemptAt: NOW + 1000, reason: { code: 'class_unknown' } },
    'Waiting: school data that is not imported yet (Unknown class). Expires 13:00:01.',
  ],
  [{ state: 'sending' }, 'Being sent now'],
  [{ state: 'open', channel: 'mark' }, 'not been sent yet'],
  [{ state: 'sent' }, 'Accepted by the provider at 2026-03-02 13:00:00.'],
  [{ state: 'sent', providerId: 'P-7' }, 'Accepted by the provider at 2026-03-02 13:00:00 (id P-7).'],
  [{ state: 'sent' }, 'Only the provider knows whether it was delivered.'],
  [{ state: 'sent', receipt: 'waiting' }, 'No receipt yet'],
  [
    { state: 'sent', receipt: 'delivered', receiptAt: NOW + 1000, isReceiptExact: true },
    '. Delivered at 2026-03-02 13:00:01.',
  ],
  [
    { state: 'sent', receipt: 'delivered', receiptAt: NOW + 1000 },
    '. Delivered by 2026-03-02 13:00:01; the gateway does not say when.',
  ],
  [
    { state: 'sent', receipt: 'undelivered', receiptAt: NOW, receiptCode: '7: off' },
    'Not delivered, the gateway reported at 2026-03-02 13:00:00 (7: off).',
  ],
  [{ state: 'sent', channel: 'mark' }, 'All of its push messages'],
  [{ state: 'partly', channel: 'mark' }, 'others were not'],
  [{ state: 'expired', channel: 'sms' }, 'request a new one'],
  [{ state: 'failed', channel: 'sms', expiresAt: NOW }, 'The code has expired'],
  [{ state: 'suppressed' }, 'on purpose'],
])('explains a state: %j', (message, text) => {
  expect(
    adviceOn({ ...MESSAGE, ...message }, MOMENT, TIME)
      .map(englishText)
      .join(' '),
  ).toContain(text);
});

describe('a message that is held', () => {
  const NO_CREDIT = {
    code: 'account_stopped',
    status: 200,
    detail: '12',
    meaning: 'no credit left',
  } as const;
  const hold: Hold = {
    ...{ cause: 'account', channel: 'sms', gateway: 'okulsms', reason: NO_CREDIT },
    ...{ since: NOW - 60_000, until: null },
  };
  const holds = {
    ...{ holds: [hold], ofSome: [hold] },
    routes: [
      { channel: 'sms', countries: ['TR'], gateways: ['okulsms'] },
      { channel: 'sms', gateways: ['other', 'okulsms'] },
    ],
  } as const;
  const code: DeliveryRecord = {
    ...MESSAGE,
    ...{ channel: 'sms', state: 'queued', recipient: '+905551112233', expiresAt: NOW + 240_000 },
  };
  const said = (message: Partial<DeliveryRecord>, more: Partial<Holds> = {}): string =>
    adviceOn({ ...code, ...message }, { now: NOW, holds: { ...holds, ...more } }, TIME)
      .map(englishText)
      .join(' ');
  const WAITS =
    'Waiting: okulsms refuses the account (12: no credit left) since 12:59. Expires 13:04:00. No message gets through.';

  it.each<readonly [string, Partial<DeliveryRecord>]>([
    ['that was not tried', { attempts: 0 }],
    ['whose attempt was refused', { attempts: 2, reason: NO_CREDIT, nextAttemptAt: NOW + 9000 }],
  ])('names the gateway’s answer, with times: a code %s', (_which, message) => {
    expect(said(message)).toContain(WAITS);
  });

  it('is held by all gateways of its route only', () => {
    expect(said({ recipient: '+49301234567' })).toContain('due now');
    const both = [{ ...hold, gateway: 'other' }, hold];
    expect(said({ recipient: '+49301234567' }, { holds: both })).toContain('other refuses the account');
    expect(said({ channel: 'push' })).toContain('due now');
  });

  it('is held by a missing worker before everything else', () => {
    const all = { holds: [hold, noWorker(NOW - 120_000, null)] };
    expect(said({ nextAttemptAt: NOW + 9000 }, all)).toContain('no worker has been running since 12:58.');
  });

  it('keeps what held it when it expires, with the times', () => {
    const held = { cause: 'account', gateway: 'okulsms', reason: NO_CREDIT, since: hold.since } as const;
    const message = { ...code, state: 'expired', reason: { code: 'expired', held } } as const;
    const explained = (moment: readonly Hold[]): string =>
      englishText(explanationFor(message, { now: NOW, holds: { ...holds, holds: moment } }, TIME) ?? '');
    const why = 'Expired while okulsms refused the account (12: no credit left)';
    expect(explained([hold])).toBe(`${why}, since 12:59.`);
    expect(explained([{ ...hold, until: NOW }])).toBe(`${why}, 12:59 to 13:00.`);
    expect(explained([])).toBe(`${why} (from 12:59 on).`);
    expect(said(message)).toContain('top up the credit');
    expect(said(message)).not.toContain('quiet hours');
  });
});
