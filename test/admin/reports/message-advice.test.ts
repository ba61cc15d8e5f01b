import { englishText } from '../../../src/support/phrase';
import { adviceOn } from '../../../src/admin/reports/message-facts';
import { TimeText } from '../../../src/admin/reports/time-text';
import { adviceOnReason, type DeliveryRecord } from '../../../src/store';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const TIME = new TimeText('Europe/Istanbul');
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
  ...{ parts: null, receipt: null, receiptCode: null, receiptAt: null },
};

it('gives the advice on a reason after the meaning of the state', () => {
  const reason = { code: 'sender_mismatch' } as const;
  expect(
    adviceOn({ ...MESSAGE, reason }, NOW, TIME)
      .map(englishText)
      .join(' '),
  ).toBe(`Not sent. It will not be retried automatically. ${adviceOnReason(reason).join(' ')}`);
});

it.each<readonly [Partial<DeliveryRecord>, string]>([
  [{ state: 'queued' }, 'Due now'],
  [
    { state: 'queued', nextAttemptAt: NOW + 1000 },
    'Waiting until 2026-03-02 13:00:01: a retry after a failed attempt',
  ],
  [{ state: 'queued', attempts: 0, nextAttemptAt: NOW + 1000 }, 'quiet hours'],
  [{ state: 'sending' }, 'Being sent now'],
  [{ state: 'open', channel: 'mark' }, 'not been sent yet'],
  [{ state: 'sent' }, 'Accepted by the provider at 2026-03-02 13:00:00.'],
  [{ state: 'sent', providerId: 'P-7' }, 'Accepted by the provider at 2026-03-02 13:00:00 (id P-7).'],
  [{ state: 'sent' }, 'Only the provider knows whether it was delivered.'],
  [{ state: 'sent', receipt: 'waiting' }, 'No receipt yet'],
  [{ state: 'sent', receipt: 'delivered', receiptAt: NOW + 1000 }, '. Delivered at 2026-03-02 13:00:01.'],
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
    adviceOn({ ...MESSAGE, ...message }, NOW, TIME)
      .map(englishText)
      .join(' '),
  ).toContain(text);
});
