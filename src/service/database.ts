import { join } from 'node:path';

import type { Logger } from 'pino';

import { recordAction } from '../admin/login/actions';
import { type Config, databaseOptions } from '../config';
import { openStore, type Store, type StoreOptions } from '../store';
import { PACKAGE_ROOT } from '../support/package-root';

/** Relative to the package's folder: the program is in a folder inside it, compiled or not. */
const SAMPLE_SCHOOL = join(PACKAGE_ROOT, 'scripts', 'sample-school');

/**
 * Opens the service's database, creating or upgrading it if needed, and logs its events; a new one gets the
 * sample school.
 *
 * @throws StoreError or FolderError
 */
export async function openServiceStore(
  config: Config,
  logger: Logger,
  how: Pick<StoreOptions, 'onWrite' | 'poolSize'> = {},
): Promise<Store> {
  const options = databaseOptions(config);
  const store = await openStore({
    ...options,
    timelinesFile: { ...options.timelinesFile, isWritten: true },
    ...how,
    onEvent: ({ level, message, fields }) => {
      logger[level](fields, message);
    },
  });
  try {
    if (await store.isNew())
      await (config.SAMPLE_DATA ? loadSampleSchool(store, logger) : store.noLongerNew());
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function loadSampleSchool(store: Store, logger: Logger): Promise<void> {
  const { files, problemCount } = await store.fillNew(SAMPLE_SCHOOL);
  const rows = files.reduce((sum, { newRows }) => sum + newRows, 0);
  const detail = { files: files.map(({ file }) => file).join(', '), rows, errors: problemCount };
  await recordAction(store, { who: 'service', action: 'import', detail });
  logger.info(
    { rows, problems: problemCount },
    'loaded the sample school into the new database (SAMPLE_DATA)',
  );
}
