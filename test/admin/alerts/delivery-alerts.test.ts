// Alerts about what is not delivered.

import { activeAlerts } from '../../../src/admin/alerts/alerts';
import { englishText } from '../../../src/support/phrase';
import { MINUTE, namesIn, NOW, point, stored } from './snapshots';

it.each([
  ['sent', 'sms', 10, []],
  ['written', 'sms', 10, []],
  ['failed', 'sms', 1, ['SendingStopped']],
  ['sent', 'push', 1, ['SendingStopped']],
  ['sent', 'sms', 11, ['SendingStopped']],
] as const)(
  'a message was %s over %s %d minutes ago, and codes are due',
  (state, channel, minutesAgo, names) => {
    const backlog = [
      { channel: 'sms' as const, messages: 1, oldestCreatedAt: NOW, oldestDueAt: NOW - 10 * MINUTE - 1 },
    ];
    const minutes = [point(minutesAgo, { settled: [{ channel, state, messages: 1 }] })];
    expect(namesIn(stored({ backlog, minutes }))).toEqual(names);
  },
);

it('piles up only what failed', () => {
  const hours = (failed: number) => [
    point(60, {
      settled: [
        { channel: 'push', state: 'sent', messages: 500 },
        { channel: 'push', state: 'failed', messages: failed },
      ],
    }),
  ];
  expect(namesIn(stored({ hours: hours(100) }))).toEqual([]);
  expect(namesIn(stored({ hours: hours(101) }))).toEqual(['DeadLettersGrow']);
});

it.each([
  [['sms'], 'Trial mode: SMS are not sent'],
  [['push'], 'Trial mode: push messages are not sent'],
  [['sms', 'push'], 'Trial mode: SMS and push messages are not sent'],
] as const)('a trial in which %j write to a file: %s', (fileChannels, summary) => {
  const alerts = activeAlerts({ ...stored({ loadedSchools: 'sample' }), fileChannels });
  expect(alerts.map((alert) => englishText(alert.summary))).toEqual([summary]);
});
