import type { Store } from '../../../src/store';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeSchool } from '../../../scripts/harness';
import { useDatabase } from '../../harness/test-databases';

// Only SQLite's reads share transactions.
describe('reads in one turn of the event loop', () => {
  const database = useDatabase('sqlite');
  let store: Store;

  beforeEach(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));
  });

  const declareDead = (through: Store) => through.write((tx) => tx.devices.invalidateToken('D3', 'token-3'));

  it('see a write as soon as it is acknowledged, whatever was read just before', async () => {
    // In the same turn as the commit, and before it.
    setImmediate(() => void store.devices.tokenOf('D3'));
    await declareDead(store);
    await expect(store.devices.tokenOf('D3')).resolves.toBe('');
  });

  it('see the writes of other connections in the next turn', async () => {
    const other = await database.open();
    await expect(store.devices.tokenOf('D3')).resolves.toBe('token-3');
    await declareDead(other);
    await new Promise(setImmediate);
    await expect(store.devices.tokenOf('D3')).resolves.toBe('');
  });

  it('leave the database ready to be closed and reopened', async () => {
    await store.devices.tokenOf('D3');
    await store.close();
    const reopened = await database.open();
    await expect(reopened.devices.tokenOf('D3')).resolves.toBe('token-3');
  });
});
