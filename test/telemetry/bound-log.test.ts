import { pino } from 'pino';

import { BoundLog } from '../../src/telemetry';

describe('a limit that is hit again and again', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    {},
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const log = new BoundLog(logger);

  beforeAll(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  it('is logged at once, and then once a minute with the number of times', () => {
    for (let time = 0; time < 1000; time += 1) log.note('bodies');
    jest.advanceTimersByTime(59_999);
    log.note('bodies');
    expect(lines.map(({ times }) => times)).toEqual([1]);
    jest.advanceTimersByTime(1);
    log.note('bodies');
    log.note('bodies');
    expect(lines.map(({ bound, times, level }) => [bound, times, level])).toEqual([
      ['bodies', 1, 40],
      ['bodies', 1001, 40],
    ]);
  });

  it('does not delay the logging of other limits', () => {
    log.note('unsent');
    expect(lines.at(-1)).toMatchObject({ bound: 'unsent', times: 1 });
  });
});
