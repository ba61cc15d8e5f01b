// Beyond the wire contract: answers that their callers do not take.

import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

import { WriteBacklog } from '../../src/asmx/write-backlog';

const LIMITS = { unsentMilliseconds: 8000, unsentBytes: 1000 };
type Handle = { writeQueueSize: number } | null;

/** An answer that waits for its caller, who reads bytes of it when the test requests it. */
function answer(bytes: number) {
  let left = bytes;
  let isCut = false;
  const handle = { writeQueueSize: 0 };
  let own: Handle = handle;
  const socket = {
    get writableLength() {
      return left;
    },
    get _handle() {
      return own;
    },
    destroy: () => (isCut = true),
  };
  const response = Object.assign(new EventEmitter(), { socket, writableLength: bytes });
  return {
    response: response as unknown as ServerResponse,
    /** Sets what the system holds of it, beyond what Node does. */
    queue: (size: number) => (handle.writeQueueSize = size),
    take: (taken: number) => (left -= taken),
    /** Its connection ends; the answer hears of that later. */
    hangUp: () => (own = null),
    end: () => response.emit('close'),
    isCut: () => isCut,
  };
}

function open(limits: Partial<typeof LIMITS> = {}) {
  let timesFull = 0;
  const unsent = new WriteBacklog({ ...LIMITS, ...limits }, () => (timesFull += 1));
  const watch = (...answers: readonly ReturnType<typeof answer>[]): void => {
    for (const { response } of answers) unsent.watch(response);
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

  it('may be checked just after its connection ended', () => {
    const { watch } = open();
    const gone = answer(1);
    watch(gone);
    gone.hangUp();
    jest.advanceTimersByTime(1000);
    gone.end();
    expect(jest.getTimerCount()).toBe(0);
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

  it('gets its full time again when the system sends some of its buffer', () => {
    const { watch } = open();
    const slow = answer(100);
    slow.queue(50);
    watch(slow);
    jest.advanceTimersByTime(6000);
    slow.queue(40);
    jest.advanceTimersByTime(6000);
    expect(slow.isCut()).toBe(false);
    // What leaves one for the other is not sent.
    slow.take(10);
    slow.queue(50);
    jest.advanceTimersByTime(4000);
    expect(slow.isCut()).toBe(true);
  });

  it('is forgotten when read completely, and the timer stops', () => {
    const { watch } = open();
    const [first, second] = [answer(10), answer(10)];
    watch(first, second);
    first.end();
    expect(jest.getTimerCount()).toBe(1);
    second.end();
    second.end();
    expect(jest.getTimerCount()).toBe(0);
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
  });
});

it('an answer whose connection is closed is not watched', () => {
  const { unsent } = open();
  unsent.watch({ socket: null, writableLength: 10 } as unknown as ServerResponse);
  expect(jest.getTimerCount()).toBe(0);
});
