/** Turkish texts by their English ones. */
export const TURKISH = {
  Backups: 'Yedekler',
  'The last backup is too old': 'Son yedek çok eski',
  'The last good backup started {value} ago.': 'Son sağlam yedek {value} önce başladı.',
  'Check BACKUP_FOLDER and the log, then run school-notifications backup.':
    'BACKUP_FOLDER ayarını ve günlüğü denetleyin, sonra school-notifications backup çalıştırın.',
};

/** Turkish texts of warnings about backups, by their English ones. */
export const TURKISH_FINDINGS = {
  'BACKUP_FOLDER has no effect, because DATABASE_URL is not an SQLite file. See docs/backup-and-restore.md for PostgreSQL.':
    'DATABASE_URL bir SQLite dosyası olmadığı için BACKUP_FOLDER etkisizdir. PostgreSQL için: docs/backup-and-restore.md.',
  'There is no good backup younger than twice BACKUP_EVERY. Check that the service is running, and search its log for “backup failed”.':
    'BACKUP_EVERY süresinin iki katından yeni sağlam yedek yok. Hizmetin çalıştığını kontrol edin ve günlükte “backup failed” arayın.',
};
