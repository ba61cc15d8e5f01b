/** Turkish texts of warnings about backups, by their English ones. */
export const TURKISH_FINDINGS = {
  'BACKUP_FOLDER has no effect, because DATABASE_URL is not an SQLite file. See docs/backup-and-restore.md for PostgreSQL.':
    'DATABASE_URL bir SQLite dosyası olmadığı için BACKUP_FOLDER etkisizdir. PostgreSQL için: docs/backup-and-restore.md.',
  'There is no good backup younger than twice BACKUP_EVERY. Check that the service is running, and search its log for “backup failed”.':
    'BACKUP_EVERY süresinin iki katından yeni sağlam yedek yok. Hizmetin çalıştığını kontrol edin ve günlükte “backup failed” arayın.',
};
