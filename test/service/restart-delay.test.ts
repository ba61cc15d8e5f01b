import { restartDelay } from '../../src/service/processes/process-pool';

describe('a process that died is replaced', () => {
  it('at once if it had run for a minute', () => {
    expect(restartDelay(5, 60_000)).toEqual({ failures: 0, delayMs: 0 });
  });

  it('with growing delays if its replacements die early, up to half a minute', () => {
    const delays: number[] = [];
    let failures = 0;
    for (let death = 0; death < 11; death += 1) {
      const next = restartDelay(failures, 10);
      failures = next.failures;
      delays.push(next.delayMs);
    }
    expect(delays.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(delays.at(-1)).toBe(30_000);
  });
});
