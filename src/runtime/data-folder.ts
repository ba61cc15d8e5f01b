import { accessSync, constants } from 'node:fs';

import { makeFolder } from '../store';
import { StartError } from './start-error';

/**
 * Makes the folder that the service writes into, with the folders above it.
 *
 * @throws StartError where it cannot be made or written
 */
export function prepareDataFolder(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new StartError(`The data folder ${path} (DATA_DIR) cannot be written. ${String(cause)}`, { cause });
  }
}
