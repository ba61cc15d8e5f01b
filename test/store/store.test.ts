import { ENGINES, useDatabase } from '../support/test-databases';

describe.each(ENGINES)('an empty store on %s', (engine) => {
  const database = useDatabase(engine);

  it('says that it was created the first time it is opened, and not again', async () => {
    const first = await database.open();
    await first.close();
    expect(first.created).toBe(true);
    expect((await database.open()).created).toBe(false);
  });
});
