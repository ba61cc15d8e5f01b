import { KeepingError, located } from '../../store/whole-database';
import { sqlitePath } from '../../support/database-url';

export async function onFile<T>(
  url: string,
  instead: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = sqlitePath(url);
  if (path === undefined) {
    throw new KeepingError(
      `DATABASE_URL is not an SQLite file. For PostgreSQL, use ${instead}; see docs/backup-and-restore.md.`,
    );
  }
  try {
    return await work(path);
  } catch (error) {
    throw located(error, url);
  }
}
