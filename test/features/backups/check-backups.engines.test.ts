import { ENGINES, useDatabase } from '../../harness/test-databases';
import { runCommand } from '../../harness/run-command';

describe.each(ENGINES)('the check of a database on %s', (engine) => {
  const database = useDatabase(engine);
  const check = async (settings: Readonly<Record<string, string>>) => {
    const all = { DATABASE_URL: database.url, DATA_DIR: database.folder, ...settings };
    return (await runCommand('check', [], { folder: database.folder, settings: all })).out;
  };
  const LATE = /There is no good backup younger than twice BACKUP_EVERY/;

  if (engine === 'postgres') {
    it('says that it does not know about backups', async () => {
      await (await database.open()).close();
      expect(await check({})).toMatch(/backup +not known to the service; .+: none\n/);
    });
    return;
  }

  it('shows the time of the last backup, and warns if the scheduled ones are late', async () => {
    await (await database.open()).close();
    expect(await check({})).toMatch(/backup +none\n/);
    const settings = { BACKUP_FOLDER: 'backups', BACKUP_EVERY: '1h' };
    expect(await check(settings)).toMatch(LATE);
    const { code } = await runCommand('backup', ['kept.db'], {
      folder: database.folder,
      settings: { DATABASE_URL: database.url, ...settings },
    });
    expect(code).toBe(0);
    const out = await check(settings);
    expect(out).toMatch(/backup +20\S+ \d\d:\d\d:\d\d \(UTC\), \S+kept\.db\n/);
    expect(out).not.toMatch(LATE);
  });

  it('tries to write to the folder of the backups, whatever its mode says', async () => {
    expect(await check({ BACKUP_FOLDER: '/proc/self' })).toMatch(
      /Error: The backup folder \(BACKUP_FOLDER\) is not writable: \/proc\/self \(/,
    );
  });
});
