import { RequestTally } from '../../src/telemetry/request-tally';

const ADDRESSES = Array.from({ length: 1200 }, (_, at) => `192.0.${String(at >> 8)}.${String(at & 255)}`);

describe('requests by caller', () => {
  let tally: RequestTally;
  beforeEach(() => {
    tally = new RequestTally([1]);
  });
  const count = (caller?: string, address?: string, agent = 'java', binding = 'get'): void => {
    tally.count('AuthCode', binding, 'ok', 0.1, caller, address, agent);
  };
  const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

  it('are taken once, and published since the start', () => {
    count('portal');
    count('portal');
    expect(tally.callerSamples()).toMatchObject([{ labels: { caller: 'portal' }, value: 2 }]);
    count('portal');
    expect(tally.takeCallers()).toMatchObject([{ caller: 'portal', requests: 3 }]);
    expect(tally.takeCallers()).toEqual([]);
    count('portal');
    expect(tally.callerSamples()).toMatchObject([{ value: 4 }]);
    expect(tally.takeCallers()).toMatchObject([{ requests: 1 }]);
  });

  it('are distinguished by name if there is one, and otherwise by address', () => {
    count('192.0.2.1', '198.51.100.1');
    count(undefined, '192.0.2.1');
    count();
    expect(tally.takeCallers().map(({ caller, address, requests }) => [caller, address, requests])).toEqual([
      ['192.0.2.1', undefined, 1],
      [undefined, '192.0.2.1', 1],
      [undefined, undefined, 1],
    ]);
  });

  it('are distinguished by operation, binding, agent and outcome', () => {
    const apart = [
      ['AuthCode', 'get', 'java'],
      ['AuthCode', 'get', 'php'],
      ['AuthCode', 'post', 'java'],
      ['SendMarkNotes', 'get', 'java'],
    ] as const;
    const outcomes = ['ok', 'client_error'] as const;
    for (const outcome of outcomes)
      for (const [operation, binding, agent] of apart)
        tally.count(operation, binding, outcome, 0.1, 'portal', undefined, agent);
    const taken = tally.takeCallers();
    expect(taken).toHaveLength(apart.length * outcomes.length);
    for (const outcome of outcomes)
      for (const [operation, binding, agent] of apart)
        expect(taken).toContainEqual({
          ...{ caller: 'portal', address: undefined, operation, binding, agent, outcome, requests: 1 },
        });
  });

  it('are published without addresses', () => {
    count(undefined, '192.0.2.1');
    expect(tally.callerSamples()).toEqual([
      { labels: { caller: 'none', agent: 'java', binding: 'get' }, value: 1 },
    ]);
  });

  it('from more than a thousand addresses are counted as others, except for named callers', () => {
    for (const address of [...ADDRESSES, ...ADDRESSES]) count(undefined, address);
    count('portal', ADDRESSES[0]);
    count(undefined, ADDRESSES[0]);
    const taken = tally.takeCallers();
    expect(taken).toHaveLength(1002);
    expect(taken.find(({ caller }) => caller === 'portal')).toMatchObject({ requests: 1 });
    expect(taken.find(({ address }) => address === ADDRESSES[0])).toMatchObject({ requests: 3 });
    expect(taken.find(({ address }) => address === 'others')).toMatchObject({ requests: 400 });

    count(undefined, '203.0.113.1');
    expect(tally.takeCallers()).toMatchObject([{ address: '203.0.113.1' }]);
  });

  it('stay limited if they are never taken, however often they are published', () => {
    for (let minute = 0; minute < 3; minute += 1) {
      for (const address of ADDRESSES) count(undefined, `${address}.${String(minute)}`);
      tally.callerSamples();
    }
    const taken = tally.takeCallers();
    expect(taken.length).toBeLessThanOrEqual(1001);
    expect(sumOf(taken.map(({ requests }) => requests))).toBe(3600);
  });
});
