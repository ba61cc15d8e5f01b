import type { AlertRule } from '../../admin/alerts/rule';
import { ERRORS_FILE } from '../../store/csv/errors-file';
import { DAY_MS } from '../../support/durations';

const OLD_FILES_MS = DAY_MS;

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'ImportFails',
    severity: 'warning',
    summary: 'School data is not up to date',
    description: 'The last import of IMPORT_FOLDER failed, or its files are more than a day old.',
    advice: `See the report under Schools and ${ERRORS_FILE} in DATA_DIR, and replace the files.`,
    link: ['/schools', 'Schools'],
    search: async ({ imports }, now, { IMPORT_FOLDER }) => {
      if (IMPORT_FOLDER === undefined) return [];
      const { isGood = true, filesAt = now } = (await imports.last()) ?? {};
      return isGood && now - filesAt < OLD_FILES_MS ? [] : [{}];
    },
  },
];
