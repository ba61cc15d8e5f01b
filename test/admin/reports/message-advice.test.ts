import { adviceOn } from '../../../src/admin/reports/message-facts';
import type { DeliveryRecord } from '../../../src/store';

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

/** Every reason that the delivery writes, and a word of what to do about it. */
it.each([
  ['FCM answered 404 UNREGISTERED: the device is gone.', 'new token'],
  ['The provider answered 403 SENDER_ID_MISMATCH.', 'another Firebase project'],
  ['FCM answered 401: it refuses the access token.', 'FCM_SERVICE_ACCOUNT'],
  ['There is no access token for FCM (its server answered 400).', 'FCM_SERVICE_ACCOUNT'],
  ['The provider answered 403.', 'credentials'],
  ['The provider answered 429. (attempt 8)', 'too much at once'],
  ['The provider answered 503. (attempt 5)', 'trouble of its own'],
  ['The provider answered 422 INVALID.', 'refuses this message'],
  ['The provider did not answer in time.', 'not sent twice'],
  ['The answer of the gateway was cut off.', 'not sent twice'],
  ['The connection to the provider failed (ECONNREFUSED).', 'network'],
  ['The file cannot be written (ENOSPC).', 'disk'],
  ['The school is not known.', 'npx school-notifications import'],
  ['The class is not known. Too many requests wait for data.', 'who sends them'],
  ['The note is not known any more.', 'Import it again'],
  ['The device has no valid token any more.', 'devices.csv'],
  ['The same note went to the same class shortly before.', 'REPEAT_WINDOW'],
  ['The operator cancelled it.', 'cancelled it'],
  ['Every worker that tried it ended meanwhile.', 'log'],
  ['The service failed; its log says why.', 'log'],
  ['No student of the class has a device to send to.', 'nobody to send to'],
  ['3 of 25 did not go: The provider answered 503.', 'trouble of its own'],
])('says what to do about %j', (reason, advice) => {
  expect(adviceOn({ ...MESSAGE, reason }, NOW)).toContain(advice);
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
