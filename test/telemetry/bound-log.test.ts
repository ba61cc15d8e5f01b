import { pino } from 'pino';

import { BoundLog } from '../../src/telemetry';

describe('a bound that is reached again and again', () => {
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

  it('is told of at once, and then once a minute, with how often it was', () => {
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

  it('does not keep others from being told', () => {
    log.note('unsent');
    expect(lines.at(-1)).toMatchObject({ bound: 'unsent', times: 1 });
  });
});
