import { newMessageId, timeOfMessageId } from '../../../src/store/outbox/messages';

describe('a message id', () => {
  it('is a UUID of version 7 that carries its time', () => {
    const time = Date.UTC(2100, 0, 2, 3, 4, 5, 678);
    const id = newMessageId(time);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(time);
  });

  it('is random except for its time and its type', () => {
    const ids = Array.from({ length: 1000 }, () => newMessageId(Date.UTC(2100, 0, 3)));
    expect(new Set(ids.map((id) => id.charAt(19)))).toEqual(new Set('89ab'));
    expect(new Set(ids.map((id) => id.slice(20))).size).toBe(ids.length);
  });

  it('sorts in the order of creation, even within a millisecond and when the clock goes back', () => {
    const time = Date.UTC(2101, 0, 1);
    const ids = Array.from({ length: 10_000 }, (_, call) => newMessageId(time - (call % 3)));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('contains its creation time; the 4,097th in a millisecond runs ahead of the clock', () => {
    const time = Date.UTC(2102, 0, 1);
    const times = Array.from({ length: 4098 }, () => timeOfMessageId(newMessageId(time)));
    expect(times).toEqual(times.map((_, at) => (at < 4096 ? time : time + 1)));
  });
});
