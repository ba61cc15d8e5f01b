import { optionalFolder, type Setting, timeSpan, wholeNumber } from '../../config/kinds';

export const ROWS = {
  BACKUP_FOLDER: {
    default: '',
    kind: optionalFolder,
    description:
      'Folder for scheduled backups of the SQLite database, best on another disk; if empty, none are made. The unit’s `ReadWritePaths=` must name it.',
  },
  BACKUP_EVERY: {
    default: '6h',
    kind: timeSpan,
    description: 'Interval between scheduled backups.',
  },
  BACKUP_KEEP: {
    default: '28',
    kind: wholeNumber(1, 100_000, 'backups'),
    description:
      'Number of scheduled backups to keep; older ones are deleted after a new one has been verified.',
  },
} satisfies Record<string, Setting>;
