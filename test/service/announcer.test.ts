import { announcer } from '../../src/service/run-app';
import type { MessageChannel } from '../../src/store';

describe('new messages are announced to the processes that deliver', () => {
  let announced: MessageChannel[];
  let announce: (channel: MessageChannel) => void;
  beforeEach(() => {
    jest.useFakeTimers();
    announced = [];
    announce = announcer((channel) => announced.push(channel));
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('once for all messages of a channel that arrive within a moment', () => {
    for (const channel of ['sms', 'mark', 'sms', 'sms'] as const) announce(channel);
    expect(announced).toEqual([]);
    expect(jest.getTimerCount()).toBe(1);
    jest.runAllTimers();
    expect(announced).toEqual(['sms', 'mark']);
  });

  it('again when more arrive', () => {
    for (const round of [1, 2, 3]) {
      announce('sms');
      jest.runAllTimers();
      expect(announced).toHaveLength(round);
    }
  });
});
