import { duration } from '../../admin/reports/duration';
import type { AlertRule } from '../../admin/alerts/rule';
import { HOUR_MS } from '../../support/durations';
import { PROGRAM_NAME } from '../../support/program-name';

const OLD_MS = 36 * HOUR_MS;

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'BackupTooOld',
    severity: 'warning',
    expr: 'time() - max by (job) (service_last_backup_timestamp_seconds) > 129600',
    forMinutes: 10,
    summary: 'The last backup is too old',
    description: 'The last good backup started {value} ago.',
    format: 'humanizeDuration',
    advice: `Check BACKUP_FOLDER and the log, then run ${PROGRAM_NAME} backup.` as const,
    search: async ({ backups }, now) => {
      const ageMs = now - ((await backups.last())?.at ?? now);
      return ageMs > OLD_MS ? [{ value: duration(ageMs) }] : [];
    },
  },
];
