import { adviceOn } from '../../../src/admin/reports/message-facts';
import { type DeliveryRecord, reasonAdvice } from '../../../src/store';

const NOW = Date.parse('2026-03-02T10:00:00Z');
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
};

it('says what to do about a reason, after what the state means', () => {
  const reason = { code: 'sender_mismatch' } as const;
  expect(adviceOn({ ...MESSAGE, reason }, NOW)).toBe(
    `It was not sent, and is not tried again by itself. ${reasonAdvice(reason)}`,
  );
});

it.each<readonly [Partial<DeliveryRecord>, string]>([
  [{ state: 'queued' }, 'It is due'],
  [
    { state: 'queued', nextAttemptAt: NOW + 1000 },
    'It waits until 2026-03-02T10:00:01.000Z, after an attempt that failed',
  ],
  [{ state: 'queued', attempts: 0, nextAttemptAt: NOW + 1000 }, 'quiet hours'],
  [{ state: 'sending' }, 'is sending it now'],
  [{ state: 'open', channel: 'mark' }, 'still to be sent'],
  [{ state: 'sent' }, 'The provider took it'],
  [{ state: 'sent', channel: 'mark' }, 'All of its push messages'],
  [{ state: 'partly', channel: 'mark' }, 'some did not'],
  [{ state: 'expired', channel: 'sms' }, 'a new code has to be asked for'],
  [{ state: 'failed', channel: 'sms', expiresAt: NOW }, 'worth nothing any more'],
  [{ state: 'suppressed' }, 'not to be sent'],
])('says what a state means: %j', (message, text) => {
  expect(adviceOn({ ...MESSAGE, ...message }, NOW)).toContain(text);
});
