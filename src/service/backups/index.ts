export { backupFindings, openBackups } from './open-backups';
export { ScheduledBackups, type ScheduledBackupsOptions } from './scheduled-backups';
