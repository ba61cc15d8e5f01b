import { maskPhone } from '../../../src/support/masks';
import type { Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;

describe.each(ENGINES)('the codes of a phone on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  const send = (recipient: string, createdAt = START) =>
    store.messages.enqueue({
      ...{ channel: 'sms', recipient, school: '', payload: {}, dedupeKey: null },
      ...{ createdAt, expiresAt: createdAt + 5 * MINUTE },
    });
  const found = async (phone: string, since = START - 1) =>
    (await store.sentCodes.endingLike(phone, since)).map(({ phone: recipient }) => recipient);

  it.each([
    ['in every spelling', '05551112233', ['+905551112233', '1112233'], ['+905552112233', '112233']],
    ['that is short', '112', ['112', '0112'], ['1120', '2112', '12', '9990112']],
    ['of one digit', '7', ['7', '007'], ['77', '17']],
  ])('are found by a number %s', async (_what, phone, ours, theirs) => {
    for (const number of [...ours, ...theirs]) await send(number);
    const all = await found(phone);
    expect(all.toSorted()).toEqual(ours.toSorted());
  });

  it('are found since a given time, the newest first, until they are masked', async () => {
    for (const at of [1, 3, 2, 0]) await send(`${'0'.repeat(at)}5551112233`, START + at);
    expect(await found('5551112233', START)).toEqual(['0005551112233', '005551112233', '05551112233']);
    await send(maskPhone('5551112233'), START + 4);
    expect(await found('5551112233', START + 2)).toEqual(['0005551112233']);
  });

  it('are counted by caller and day', async () => {
    for (const [day, caller] of [
      [1, 'app'],
      [1, 'app'],
      [1, ''],
      [2, 'app'],
    ] as const) {
      await store.write(({ sentCodes }) => sentCodes.count(day, caller));
    }
    const ofDay = async (day: number) =>
      (await store.write(({ sentCodes }) => sentCodes.ofDay(day))).toSorted(
        (one, other) => one.codes - other.codes,
      );
    expect(await ofDay(1)).toEqual([
      { caller: '', codes: 1 },
      { caller: 'app', codes: 2 },
    ]);
    expect(await ofDay(2)).toEqual([{ caller: 'app', codes: 1 }]);
    expect(await ofDay(3)).toEqual([]);
  });
});
