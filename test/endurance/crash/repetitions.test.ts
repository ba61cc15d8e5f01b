import type { Receipts } from '../../../scripts/harness/delivery';
import { explainRepetitions, type Killed } from './repetitions';

const KILLED: Killed = { at: 100, life: 'life-1', held: new Set(['held']) };

function received(key: string, ...receipts: readonly (readonly [at: number, life: string])[]): Receipts {
  return new Map([[key, receipts.map(([at, life]) => ({ at, path: `/sms/${life}/` }))]]);
}

describe('a message that reached the provider twice', () => {
  it('is explained by the kill of the process that had sent it without recording it', () => {
    const receipts = received('held', [90, 'life-1'], [110, 'life-2']);
    expect(explainRepetitions(receipts, [KILLED])).toEqual({ explained: [10], unexplained: 0 });
  });

  it.each([
    ['whose outcome was in the store', received('recorded', [90, 'life-1'], [110, 'life-2'])],
    ['that another process had sent', received('held', [90, 'life-3'], [110, 'life-2'])],
    ['that was sent again before the kill', received('held', [90, 'life-1'], [95, 'life-2'])],
    ['that was first sent after it', received('held', [105, 'life-1'], [110, 'life-2'])],
    ['of a process whose name begins the same', received('held', [90, 'life-12'], [110, 'life-2'])],
  ])('is not explained by a nearby kill: one %s', (_what, receipts) => {
    expect(explainRepetitions(receipts, [KILLED])).toEqual({ explained: [], unexplained: 1 });
  });

  it('is not explained a third time by the same kill', () => {
    const receipts = received('held', [90, 'life-1'], [110, 'life-2'], [120, 'life-2']);
    expect(explainRepetitions(receipts, [KILLED])).toEqual({ explained: [10], unexplained: 1 });
  });
});
