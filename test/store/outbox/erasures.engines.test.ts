import { type Erasure, noteErasure } from '../../../src/store/outbox/retention';
import { ENGINES, useDatabase } from '../../harness/test-databases';

describe.each(ENGINES)('deletions by commands on %s', (engine) => {
  const database = useDatabase(engine);

  it('are kept until one service takes them to log them', async () => {
    const erasures: readonly Erasure[] = [
      { command: 'forget', removed: { messages: 3, devices: 0 }, at: 1_700_000_000_000 },
      { command: 'import', removed: { students: 12 }, at: 1_700_000_000_001 },
    ];
    for (const erasure of erasures) {
      await database.engine().session(({ kysely }) => noteErasure(kysely, erasure));
    }
    const store = await database.open();
    const take = () => store.write(({ erasures }) => erasures.take());
    expect((await take()).toSorted((one, other) => one.at - other.at)).toEqual(erasures);
    expect(await take()).toEqual([]);
  });
});
