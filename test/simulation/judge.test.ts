import { Judge, type JudgedRules, Violation } from './judge';
import { devicesOf, SCHOOLS } from './school';
import { Host, VirtualTime } from './virtual-time';
import { Random } from '../harness/random';

const START = Date.parse('2026-03-02T12:00:00Z');
const MINUTE_MS = 60_000;
const RULES: JudgedRules = {
  ...{ repeatMs: 0, coolDownMs: 0, perTenMinutes: 0, perDay: 0, perDayOverall: 0 },
  noteRepeatMs: 10 * MINUTE_MS,
};

describe('the judge of the simulation', () => {
  const [, , { url: school }] = SCHOOLS;
  let judge: Judge;
  let transactions: number;
  let host: Host;
  let time: VirtualTime;

  beforeEach(() => {
    time = new VirtualTime(new Random(1), START, 1);
    judge = new Judge(time, RULES);
    host = new Host('host', time);
    transactions = 0;
  });

  type Statement = readonly [name: string, values: object, row: readonly string[]];
  function commitBy(by: Host, ...statements: readonly Statement[]) {
    const transaction = (transactions += 1);
    judge.commits(
      statements.map(([name, values, row]) => ({ transaction, host: by, name, values, rows: [row] })),
    );
  }
  const commit = (...statements: readonly Statement[]) => {
    commitBy(host, ...statements);
  };

  const stored = (id: string, channel: string, recipient: string, createdAt: number) => {
    const row = { id, channel, recipient, school, payload: '{"note":"N1"}', request_id: null };
    return {
      ...row,
      created_at: createdAt,
      next_attempt_at: createdAt,
      expires_at: createdAt + 1440 * MINUTE_MS,
    };
  };

  /** Takes a note for a class on, and makes push messages of it. */
  function resolve(id: string, takenOnAt: number, madeAt: number, settledAt: number): void {
    commit(['enqueue_message', stored(id, 'mark', '1A', takenOnAt), []]);
    const claim = { owner: 'w', now: takenOnAt, leaseUntil: takenOnAt + MINUTE_MS };
    commit(['claim_messages', claim, [id, '', '', '', '', '1']]);
    const pushes = devicesOf(school, '1A').map((device) => {
      const push = stored(`${id} ${device}`, 'push', device, madeAt);
      return ['enqueue_message', { ...push, request_id: id }, []] as const;
    });
    const ends = {
      id,
      owner: 'w',
      leaseUntil: claim.leaseUntil,
      state: 'open',
      nextAttemptAt: 0,
      now: settledAt,
    };
    commit(...pushes, ['settle_message', { ...ends, attempted: true }, [id]]);
  }

  it('reports a note that goes to a class again before its time is over', () => {
    resolve('first', START, START, START);
    expect(() => {
      resolve('second', START + 10 * MINUTE_MS - 1, START, START);
    }).toThrow(new Violation('a note goes to a class twice: second'));
  });

  /** An SMS that is claimed, queued again at a time, and sent by the first process and by one that claims it then. */
  function sendTwice(requeuedAt: number, isFirstLate: boolean): void {
    const other = new Host('other', time);
    const claim = (owner: string, now: number): Statement => {
      return ['claim_messages', { owner, now, leaseUntil: now + 500 }, ['code', '', '', '', '', '1']];
    };
    commit(['enqueue_message', stored('code', 'sms', '1', START), []], claim('host', START));
    commit(['requeue_abandoned', { now: requeuedAt }, ['code']]);
    commitBy(other, claim('other', requeuedAt));
    for (const by of isFirstLate ? [other, host] : [host, other])
      judge.takes(judge.sends(by, 'code', 'gateway'));
  }

  it.each([true, false])(
    'accepts that an SMS is sent twice whose lease was ended by a time of other clocks (first process late: %s)',
    (isFirstLate) => {
      sendTwice(START + 60 * MINUTE_MS, isFirstLate);
      expect(judge.violation).toBeUndefined();
    },
  );

  it('reports it where the lease had run out', () => {
    expect(() => {
      sendTwice(START + 500, false);
    }).toThrow(new Violation('sms code reached the provider twice'));
  });

  it('accepts it once the time since its push messages has passed, whenever that was recorded', () => {
    resolve('first', START, START, START + 540 * MINUTE_MS);
    expect(() => {
      resolve('second', START + 541 * MINUTE_MS, START + 541 * MINUTE_MS, START + 541 * MINUTE_MS);
    }).not.toThrow();
    expect(judge.violation).toBeUndefined();
  });
});
