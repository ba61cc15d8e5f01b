import { sqlitePath } from '../../support/database-url';
import type { Feature } from '../feature';
import { ALERT_RULES } from './alert-rules';
import { ROWS } from './settings';
import { TURKISH, TURKISH_FINDINGS } from './turkish';

export const settings = { title: 'Backups' as const, rows: ROWS };

export const texts = { tr: TURKISH };

export const lines = { tr: TURKISH_FINDINGS };

export const commands: Required<Feature>['commands'] = {
  backup: {
    about: 'back up the SQLite database while the service runs',
    examples: ['/var/backups/school.db', '--every 6h --keep 28 /var/backups/school'],
    load: async () => (await import('./command.js')).backup,
  },
  restore: {
    about: 'restore the SQLite database from a backup',
    examples: ['/var/backups/school.db', '/var/backups/school.db --replace'],
    load: async () => (await import('./command.js')).restore,
  },
};

export const findings: Required<Feature>['findings'] = async (config) =>
  (await import('./scheduled-backups.js')).backupFindings(config);

export const alertRules = ALERT_RULES;

export const checkDatabase: Required<Feature>['checkDatabase'] = async (...checked) =>
  (await import('./check-backups.js')).checkBackups(...checked);

export const writtenFolders: Required<Feature>['writtenFolders'] = (config) =>
  config.BACKUP_FOLDER === undefined || sqlitePath(config.DATABASE_URL) === undefined
    ? []
    : [{ folder: config.BACKUP_FOLDER, name: 'The backup folder', setting: 'BACKUP_FOLDER', level: 'error' }];

export const openWork: Required<Feature>['openWork'] = async ({ config, store, logger }) =>
  (await import('./scheduled-backups.js')).openBackups(config, store, logger);
