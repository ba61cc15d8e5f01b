import { runSoak } from './soak-run';
import { verdict } from './soak-table';

/** In ten minutes `npm run soak` shows that memory is flat within 10 %; in some seconds, that nothing piles up. */
const MAX_GROWTH = 1.5;

it('64 Valid and invalid requests, mixed, for some seconds: all get the right answers', async () => {
  const report = await runSoak({ periods: 2, secondsEach: 2, seed: 1, progress: () => undefined });
  expect(verdict(report, { judgeMemory: false })).toMatchObject({ passed: true });
  expect(report.requests).toBeGreaterThan(100);
  const [first, last] = report.periods;
  expect(last?.residentBytes).toBeLessThan(MAX_GROWTH * (first?.residentBytes ?? 0));
});
