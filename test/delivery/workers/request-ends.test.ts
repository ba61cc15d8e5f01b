import type { DeliveryLog } from '../../../src/delivery/workers/delivery-log';
import { RequestEnds } from '../../../src/delivery/workers/request-ends';
import type { ClaimedMessage, MessageChannel, Settlement, Store } from '../../../src/store';

const NOW = 100_000;

function message(id: string, requestId?: string): ClaimedMessage {
  return { id, requestId } as ClaimedMessage;
}

describe('the ends of requests', () => {
  let asked: (readonly string[])[];
  let reported: unknown[];
  let fail: boolean;
  let open: Readonly<Record<string, readonly { readonly id: string; readonly isUnderWay: boolean }[]>>;
  let turns: number;
  let ends: RequestEnds;

  beforeEach(() => {
    asked = [];
    reported = [];
    fail = false;
    open = {};
    turns = 0;
    const requestEnds = {
      end: (ids: readonly string[], now: number) => {
        asked.push(ids);
        if (fail) return Promise.reject(new Error('lost'));
        return Promise.resolve(ids.filter((id) => id.startsWith('over')).map((id) => ({ id, now })));
      },
      openAfter: (after: string) => Promise.resolve(open[after] ?? []),
    };
    const store = {
      requestEnds,
      write: (work: (transaction: unknown) => Promise<unknown>) => work({ requestEnds }),
    } as unknown as Store;
    const timers = {
      nextTurn: () => {
        turns += 1;
        return Promise.resolve();
      },
    };
    const log = {
      requestEnded: (end: unknown, now: number) => reported.push([end, now]),
    } as unknown as DeliveryLog;
    ends = new RequestEnds(store, { now: () => NOW, timers: timers as never }, log);
  });

  it.each<readonly [MessageChannel, Settlement['state'], string | undefined, readonly string[]]>([
    ['mark', 'open', undefined, ['m']],
    ['push', 'sent', 'r', ['r']],
    ['push', 'failed', 'r', ['r']],
    ['push', 'queued', 'r', []],
    ['push', 'sent', undefined, []],
    ['sms', 'sent', 'r', []],
  ])('are possible after a message of %s that is %s', async (channel, state, requestId, looked) => {
    ends.settled(channel, message('m', requestId), state);
    await ends.endNoted();
    expect(asked.flat()).toEqual(looked);
  });

  it('are looked up fifty at a time, each once, and logged', async () => {
    const ids = Array.from({ length: 120 }, (_, at) => `${at === 7 ? 'over' : 'going'}-${String(at)}`);
    for (const id of [...ids, ...ids]) ends.settled('push', message('m', id), 'sent');
    await ends.endNoted();
    expect(asked).toEqual([ids.slice(0, 50), ids.slice(50, 100), ids.slice(100)]);
    expect(reported).toEqual([[{ id: 'over-7', now: NOW }, NOW]]);
    await ends.endNoted();
    expect(asked).toHaveLength(3);
  });

  it('are looked up again if the store failed, with those noted meanwhile', async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `r-${String(at)}`);
    for (const id of ids) ends.settled('push', message('m', id), 'sent');
    fail = true;
    await expect(ends.endNoted()).rejects.toThrow('lost');
    expect(asked.splice(0)).toEqual([ids.slice(0, 50)]);
    fail = false;
    ends.settled('push', message('m', 'later'), 'sent');
    await ends.endNoted();
    expect(new Set(asked.flat())).toEqual(new Set([...ids, 'later']));
  });

  it('that were not noticed are found page by page, with a turn for others after each', async () => {
    open = {
      '': [
        { id: 'a', isUnderWay: true },
        { id: 'b', isUnderWay: false },
      ],
      b: [{ id: 'over-c', isUnderWay: false }],
    };
    await ends.recordMissedEnds();
    expect(turns).toBe(2);
    await ends.endNoted();
    expect(asked).toEqual([['b', 'over-c']]);
    expect(reported).toEqual([[{ id: 'over-c', now: NOW }, NOW]]);
  });
});
