// Beyond the wire contract: answers that their callers do not take.

import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { WriteBacklog } from '../../src/asmx/write-backlog';

const LIMITS = { unsentMilliseconds: 8000, unsentBytes: 1000 };
/** An answer that waits for its caller, who reads bytes of it when the test requests it. */
function answer(bytes: number) {
  let left = bytes;
  let isCut = false;
  let timer: NodeJS.Timeout | undefined;
  const response = Object.assign(new EventEmitter(), {
    socket: Object.assign(new Socket(), {
      destroy: () => {
        isCut = true;
        clearTimeout(timer);
      },
    }),
    /** As Node.js does it: progress begins the interval again. */
    setTimeout: (interval: number, report?: () => void) => {
      if (report !== undefined) response.on('timeout', report);
      const leftNow = left;
      timer = setTimeout(() => {
        if (left === leftNow) response.emit('timeout');
        else response.setTimeout(interval);
      }, interval);
    },
  });
  return {
    response: response as unknown as ServerResponse,
    bytes,
    take: (taken: number) => (left -= taken),
    end: () => {
      clearTimeout(timer);
      response.emit('close');
    },
    isCut: () => isCut,
  };
}

function open(limits: Partial<typeof LIMITS> = {}) {
  let timesFull = 0;
  const unsent = new WriteBacklog({ ...LIMITS, ...limits }, () => (timesFull += 1));
  const watch = (...answers: readonly ReturnType<typeof answer>[]): void => {
    for (const { response, bytes } of answers) unsent.watch(response, bytes);
  };
  return { unsent, watch, timesFull: () => timesFull };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('an answer that its caller does not read', () => {
  it('is cut off after its time limit, however short it is', () => {
    const { watch, timesFull } = open();
    const still = answer(1);
    watch(still);
    jest.advanceTimersByTime(7999);
    expect(still.isCut()).toBe(false);
    jest.advanceTimersByTime(1001);
    expect(still.isCut()).toBe(true);
    expect(timesFull()).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is checked more often if its time limit is short', () => {
    const { watch } = open({ unsentMilliseconds: 400 });
    const still = answer(1);
    watch(still);
    jest.advanceTimersByTime(399);
    expect(still.isCut()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(still.isCut()).toBe(true);
  });

  it('gets its full time again whenever some of it is read', () => {
    const { watch } = open();
    const slow = answer(100);
    const still = answer(100);
    watch(slow, still);
    for (let taken = 0; taken < 5; taken += 1) {
      jest.advanceTimersByTime(5000);
      slow.take(1);
    }
    expect([slow.isCut(), still.isCut()]).toEqual([false, true]);
    jest.advanceTimersByTime(10_000);
    expect(slow.isCut()).toBe(true);
  });

  it('is forgotten when read completely', () => {
    const { watch } = open();
    const [first, second] = [answer(10), answer(10)];
    watch(first, second);
    first.end();
    second.end();
    second.end();
    jest.advanceTimersByTime(20_000);
    expect([first.isCut(), second.isCut()]).toEqual([false, false]);

    const third = answer(10);
    watch(third);
    jest.advanceTimersByTime(9000);
    expect(third.isCut()).toBe(true);
  });
});

describe('unread answers in total', () => {
  it('over the limit close the connection of the one that stalled longest', () => {
    const { watch, timesFull } = open();
    const [first, second, third] = [answer(400), answer(400), answer(400)];
    watch(first);
    jest.advanceTimersByTime(100);
    watch(second);
    jest.advanceTimersByTime(100);
    first.take(1);
    jest.advanceTimersByTime(2000);
    watch(third);
    expect([first.isCut(), second.isCut(), third.isCut()]).toEqual([false, true, false]);
    expect(timesFull()).toBe(1);
  });

  it('over the limit close the connection of the oldest if all stalled equally long', () => {
    const { watch } = open();
    const answers = [answer(400), answer(400), answer(400)] as const;
    watch(...answers);
    expect(answers.map(({ isCut }) => isCut())).toEqual([true, false, false]);
  });

  it('may reach the limit, and exceed it if there is only one', () => {
    const { watch, timesFull } = open();
    const [first, second] = [answer(400), answer(600)];
    watch(first, second);
    expect([first.isCut(), second.isCut(), timesFull()]).toEqual([false, false, 0]);
    first.end();
    second.end();
    const large = answer(5000);
    watch(large);
    expect([large.isCut(), timesFull()]).toEqual([false, 0]);
  });

  it('no longer count once read or cut off', () => {
    const { watch, timesFull } = open();
    for (let round = 0; round < 5; round += 1) {
      const taken = answer(900);
      watch(taken);
      taken.end();
    }
    expect(timesFull()).toBe(0);
    const [first, second, third] = [answer(900), answer(900), answer(90)];
    watch(first);
    jest.advanceTimersByTime(10);
    watch(second, third);
    expect([first.isCut(), second.isCut(), third.isCut(), timesFull()]).toEqual([true, false, false, 1]);
    // What was cut off closes, and counts only once.
    first.end();
    watch(answer(90));
    expect([second.isCut(), third.isCut(), timesFull()]).toEqual([true, false, 2]);
  });
});

it('an answer whose connection is closed is not watched', () => {
  const { unsent } = open();
  unsent.watch({ socket: null } as unknown as ServerResponse, 10);
  expect(jest.getTimerCount()).toBe(0);
});
