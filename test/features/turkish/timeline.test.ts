import { phoneTimeline } from '../../../src/admin/console/timeline';
import { Words } from '../../../src/admin/texts/words';
import { NO_HOLDS } from '../../../src/store';

it('shows the time of day in full, whatever the length of the date', () => {
  const firstAt = Date.parse('2026-03-02T09:57:00Z');
  const lastAt = firstAt + 60_000;
  const refusal = { reason: 'ten_minutes', bound: 5, times: 3, firstAt, lastAt } as const;
  const story = {
    messages: [],
    attempts: new Map(),
    refusals: [refusal],
    failures: [],
    holds: NO_HOLDS,
    sent: [],
  };
  const lines = phoneTimeline(story, new Words('tr', 'UTC'), firstAt).text.replaceAll(/<[^>]*>/g, '');
  expect(lines).toContain(
    '09:57:00 reddedildi: 10 dakikada 5 koddan fazla istendi (3 kez, sonuncusu 09:58:00)',
  );
});
