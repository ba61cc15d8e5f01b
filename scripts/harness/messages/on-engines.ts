import { join } from 'node:path';

import { openStore, type Store } from '../../../src/store';
import { makeRunFolder } from '..';
import { ENGINES } from './database';
import { messages, timeOf, writeSchools } from './messages';

/** A database of one engine that holds the bench's schools and messages. */
export interface FilledDatabase {
  readonly engine: string;
  readonly store: Store;
  readonly url: string;
  readonly folder: string;
  /** Id of a request in the middle of all messages; empty where there is none. */
  readonly middle: string;
}

/**
 * Measures on each engine that is installed, on a database of its own.
 *
 * @param name - of the run, for its folder
 * @param count - messages
 * @param only - this engine alone
 */
export async function onEngines<T>(
  name: string,
  count: number,
  only: string | undefined,
  measure: (database: FilledDatabase) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const measured = new Map<string, T>();
  for (const [engine, open] of Object.entries(ENGINES)) {
    if (only !== undefined && only !== engine) continue;
    const { path: folder, remove } = makeRunFolder(`${name}-data`);
    const database = await open(folder);
    try {
      if (database === undefined) {
        console.error(`${engine} was not measured: no server is installed.`);
        continue;
      }
      const { url } = database;
      const store = await openStore({ url });
      await store.importFolder(writeSchools(join(folder, 'schools')));
      console.error(`${engine}: makes ${count.toLocaleString('en')} messages`);
      await database.fill(messages(count));
      const [found] = await store.deliveries.list({ channel: 'mark', createdBefore: timeOf(count / 2) }, 1);
      measured.set(engine, await measure({ engine, store, url, folder, middle: found?.id ?? '' }));
      await store.close();
    } finally {
      database?.stop();
      remove();
    }
  }
  return measured;
}
