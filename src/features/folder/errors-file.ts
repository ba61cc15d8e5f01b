import { join } from 'node:path';

import { ERRORS_FILE } from '../../store/csv/errors-file';

/** Returns the file with the errors of the last import; the folder itself is only read. */
export function errorsFileIn(dataFolder: string): string {
  return join(dataFolder, ERRORS_FILE);
}
