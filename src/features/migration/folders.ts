import { dirname, join } from 'node:path';

import type { Config } from '../../config';
import type { WrittenFolder } from '../feature';

/** Returns the folder for the results of comparisons. */
export function comparedFolder({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string {
  return join(DATA_DIR, 'compared');
}

/** Returns the folder of RECORD_FILE. */
export function recordingFolders({ RECORD_FILE }: Config): readonly WrittenFolder[] {
  if (RECORD_FILE === undefined) return [];
  const folder = dirname(RECORD_FILE);
  return [{ folder, name: 'The folder of the recordings', setting: 'RECORD_FILE', level: 'error' }];
}
