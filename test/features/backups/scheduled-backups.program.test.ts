import { join } from 'node:path';

import { PROGRAM } from '../../../scripts/harness';
import { loadConfig } from '../../../src/config';
import { openBackups } from '../../../src/features/backups/scheduled-backups';
import { openStore, type Store } from '../../../src/store';
import { loggerInto } from '../../harness/log-lines';
import { useDatabase } from '../../harness/test-databases';
import { useFolderPerTest } from '../../harness/use-folder';

describe('the scheduled backups of a service', () => {
  const database = useDatabase('sqlite');
  const folder = useFolderPerTest();
  let store: Store;
  let lines: Record<string, unknown>[];
  beforeEach(async () => {
    lines = [];
    store = await database.open();
  });

  it('are made by the backup command, in a separate process', async () => {
    const config = loadConfig({ BACKUP_FOLDER: folder(), DATABASE_URL: database.url });
    await openBackups(config, store, loggerInto(lines), PROGRAM)?.look();
    const [{ file } = {}] = lines;
    expect(lines).toMatchObject([{ level: 'info', msg: 'database backup completed' }]);
    const copy = await openStore({ url: `sqlite:${String(file)}`, mustExist: true });
    await copy.close();
  });

  it("fail with the last line of the command's output", async () => {
    await openBackups(
      loadConfig({ DATABASE_URL: `sqlite:${join(folder(), 'service.db')}`, BACKUP_FOLDER: folder() }),
      store,
      loggerInto(lines),
      PROGRAM,
    )?.look();
    expect(lines).toMatchObject([{ level: 'error', msg: 'database backup failed' }]);
    expect(lines[0]?.['reason']).toMatch(/service\.db/);
    expect(lines[0]?.['reason']).not.toContain('\n');
  });
});
