import { accessSync, constants, mkdirSync } from 'node:fs';

import { StartError } from './start-error';

/**
 * Makes the folder that the service writes into, with the folders above it.
 *
 * @throws StartError where it cannot be made or written
 */
export function prepareDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new StartError(`The data folder ${path} (DATA_DIR) cannot be written. ${String(cause)}`, { cause });
  }
}
