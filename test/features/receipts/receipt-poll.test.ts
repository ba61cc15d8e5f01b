import { setImmediate as nextTurn } from 'node:timers/promises';

import { Registry } from 'prom-client';

import { writeGatewaysFile } from '../../../scripts/harness/delivery';
import { type AskedGateway, type Gateway, readGateways } from '../../../src/delivery';
import { ReceiptPoll } from '../../../src/features/receipts/receipt-poll';
import { ReceiptCounter } from '../../../src/features/receipts/recording';
import { useFolderPerTest } from '../../harness/use-folder';

describe('the receipt poll', () => {
  const NOW = Date.parse('2026-03-02T10:00:00Z');
  const folder = useFolderPerTest();

  function netgsm(ids: number): Gateway {
    const values = { preset: 'netgsm-rest', user: 'u', password: 'p', sender: 'OKUL' };
    const { gateways } = readGateways(writeGatewaysFile(folder(), values));
    const [gateway] = gateways;
    const { receipts } = gateway ?? {};
    if (gateway === undefined || receipts?.request === undefined) throw new Error('It is not asked');
    return { ...gateway, name: 'netgsm', receipts: { ...receipts, request: { ...receipts.request, ids } } };
  }

  /** Returns the answer of a gateway about some SMS. */
  const reported = (ids: readonly string[], status: string): string =>
    JSON.stringify({ jobs: ids.map((jobid) => ({ jobid, status })) });

  /** Opens them on a store that has these SMS without a receipt, with a gateway that gives this answer. */
  function open(ids: readonly string[], answer: AskedGateway['ask'], atOnce = 2) {
    const asked: (readonly string[])[] = [];
    const rounds: unknown[] = [];
    const lines: unknown[] = [];
    const gateway: AskedGateway = {
      gateway: netgsm(atOnce),
      ask: (...given) => {
        asked.push(given[0]);
        return answer(...given);
      },
    };
    const poll = new ReceiptPoll({
      sms: { asked: [gateway] },
      store: {
        takeUnreported: (...given) => {
          rounds.push(given[3]);
          return Promise.resolve(ids.slice(0, given[2]));
        },
        record: (receipts) => Promise.resolve(receipts.map(() => 'recorded' as const)),
        noteUnmatched: (receipts) => Promise.resolve(void lines.push(receipts)),
      },
      counter: new ReceiptCounter(new Registry()),
      timeoutMs: 60_000,
      log: {
        given: (...given) => lines.push(given),
        notGiven: (name) => lines.push(name),
        unread: (...given) => lines.push(given),
      },
      onFailure: (error) => lines.push(error),
    });
    return { poll, asked, rounds, lines };
  }

  it('asks about as many SMS at once as the gateway accepts', async () => {
    const { poll, asked, lines } = open(['1', '2', '3'], (ids) => Promise.resolve(reported(ids, '0')));
    await poll.ask(NOW);
    expect(asked).toEqual([['1', '2'], ['3']]);
    expect(lines).toEqual([
      ['netgsm', 2, 0],
      ['netgsm', 1, 0],
    ]);
  });

  it.each([1, 3])('sends 20 requests about %i SMS each in a round', async (atOnce) => {
    const ids = Array.from({ length: 20 * atOnce + 1 }, (_, at) => String(at));
    const { poll, asked } = open(ids, (about) => Promise.resolve(reported(about, '0')), atOnce);
    await poll.ask(NOW);
    expect(asked).toHaveLength(20);
    expect(asked.flat()).toEqual(ids.slice(0, -1));
  });

  it('logs and notes what no rule names', async () => {
    const unmatched = { gateway: 'netgsm', providerId: '2', unmatched: '99' };
    const body = JSON.stringify({ jobs: [{ status: '99' }, { jobid: '2', status: '99' }] });
    const { poll, lines } = open(['1', '2'], () => Promise.resolve(body));
    await poll.ask(NOW);
    expect(lines).toEqual([['netgsm', 2, 0], ['netgsm', 2, ['99']], [unmatched]]);
  });

  it('stops for this round when the gateway does not answer', async () => {
    const { poll, asked, rounds, lines } = open(['1', '2', '3'], () => Promise.resolve(undefined));
    await poll.ask(NOW);
    await poll.ask(NOW + 60_000);
    expect([asked, lines]).toEqual([
      [
        ['1', '2'],
        ['1', '2'],
      ],
      ['netgsm', 'netgsm'],
    ]);
    expect(rounds).toEqual([
      { last: NOW - 60_000, now: NOW },
      { last: NOW, now: NOW + 60_000 },
    ]);
  });

  it('asks again ten seconds after a round, and at once when the clock is set back', async () => {
    const { poll, rounds } = open(['1'], (ids) => Promise.resolve(reported(ids, '0')));
    for (const at of [0, 9999, 10_000, 10_001, -50_000, -50_001, -40_000]) await poll.ask(NOW + at);
    expect(rounds).toEqual([
      { last: NOW - 60_000, now: NOW },
      { last: NOW, now: NOW + 10_000 },
      { last: NOW + 10_000, now: NOW - 50_000 },
      { last: NOW - 50_000, now: NOW - 40_000 },
    ]);
  });

  it('runs one round at a time, which is aborted on stop', async () => {
    let onAsked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (onAsked = resolve));
    const never: AskedGateway['ask'] = (_ids, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve(undefined);
        });
        onAsked();
      });
    const { poll, asked, rounds } = open(['1', '2'], never, 1);
    void poll.ask(NOW);
    await isAsked;
    void poll.ask(NOW + 60_000);
    await poll.close();
    expect([asked.length, rounds.length]).toEqual([1, 1]);
  });

  it('is closed only when the round in progress has recorded its answer', async () => {
    let onAsked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (onAsked = resolve));
    let answer = (): void => undefined;
    const { poll, lines } = open(['1'], (ids) => {
      onAsked();
      return new Promise((resolve) => {
        answer = () => {
          resolve(reported(ids, '0'));
        };
      });
    });
    void poll.ask(NOW);
    await isAsked;
    const steps: string[] = [];
    const closed = poll.close().then(() => steps.push('closed'));
    await nextTurn();
    steps.push('answered');
    answer();
    await closed;
    expect([steps, lines]).toEqual([['answered', 'closed'], [['netgsm', 1, 0]]]);
  });
});
