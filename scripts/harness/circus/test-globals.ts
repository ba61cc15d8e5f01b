import { jestExpect } from '@jest/expect';
import { ModernFakeTimers } from '@jest/fake-timers';
import type { Config } from '@jest/types';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

/** Gives this process the functions that tests call, and returns what undoes their mocks and fake timers. */
export function provideGlobals(): () => void {
  const mocker = new ModuleMocker(globalThis);
  const config = { fakeTimers: {}, rootDir: process.cwd() } as unknown as Config.ProjectConfig; // All that is read.
  const timers = new ModernFakeTimers({ global: globalThis, config });
  const jest = {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
    useFakeTimers: timers.useFakeTimers.bind(timers),
    useRealTimers: timers.useRealTimers.bind(timers),
    advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
    advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
    runAllTimers: timers.runAllTimers.bind(timers),
    getTimerCount: timers.getTimerCount.bind(timers),
  };
  const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
  Object.assign(globalThis, { describe, it, test, beforeAll, beforeEach, afterAll, afterEach });
  Object.assign(globalThis, { expect: jestExpect, jest });
  return () => {
    mocker.restoreAllMocks();
    timers.useRealTimers();
  };
}
