import type { SectionContent } from '../../admin/reports/checks';
import { TimeText } from '../../admin/reports/time-text';
import { type Config, databaseFile } from '../../config';
import type { StoreInspection } from '../../store';

/**
 * Missed intervals after which a backup is late: one may take long, and a service may be stopped for a while.
 */
const LATE_TURNS = 2;

/** Returns when the last backup was made, and whether that is too long ago. */
export function checkBackups({ lastBackup, archivedAt }: StoreInspection, config: Config): SectionContent {
  const { BACKUP_FOLDER: folder, BACKUP_EVERY: everyMs, TIME_ZONE: timeZone } = config;
  const time = new TimeText(timeZone);
  if (databaseFile(config) === undefined) {
    const archived = archivedAt === undefined ? 'none' : time.of(archivedAt);
    const rows = [['backup', `not known to the service; last WAL archived: ${archived}`]];
    return { rows, findings: [] };
  }
  const last =
    lastBackup === undefined ? 'none' : `${time.of(lastBackup.at)} (${timeZone}), ${lastBackup.file}`;
  const isLate = lastBackup === undefined || Date.now() - lastBackup.at > LATE_TURNS * everyMs;
  const message =
    'There is no good backup younger than twice BACKUP_EVERY. Check that the service is running, and search its log for “backup failed”.';
  return {
    rows: [['backup', last]],
    findings: folder !== undefined && isLate ? [{ level: 'warn', message }] : [],
  };
}
