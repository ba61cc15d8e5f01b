import { writeFileSync } from 'node:fs';

import { writeCsv, writeSchool } from '../../scripts/harness';
import type { ImportOptions, ImportReport, Store } from '../../src/store';
import type { Engine } from '../../src/store/engine/engine';
import { SMALL_SCHOOL } from './small-school';
import { type EngineName, useDatabase } from './test-databases';

/** Imports into the small school. */
interface Imports {
  /** The store of the running test. */
  readonly store: Store;
  /** Opens the database of the running test behind the back of its store. */
  readonly engine: () => Engine;
  /** Returns the path of a folder that does not exist yet. */
  readonly newFolder: () => string;
  /** Imports files with these contents, by name. */
  readonly load: (
    files: Readonly<Record<string, string | Buffer>>,
    options?: ImportOptions,
  ) => Promise<ImportReport>;
}

/** Gives each test of the surrounding block a database with the small school. */
export function useImports(engine: EngineName): Imports {
  const database = useDatabase(engine);
  let store: Store | undefined;
  let folders = 0;
  const opened = (): Store => {
    if (store === undefined) throw new Error('There is a store only while a test runs');
    return store;
  };
  const newFolder = (): string => `${database.folder}/import-${String((folders += 1))}`;
  beforeEach(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(newFolder(), SMALL_SCHOOL));
  });
  return {
    get store() {
      return opened();
    },
    engine: () => database.engine(),
    newFolder,
    load: (files, options) => {
      const folder = writeCsv(newFolder(), {});
      for (const [name, bytes] of Object.entries(files)) writeFileSync(`${folder}/${name}`, bytes);
      return opened().importFolder(folder, options);
    },
  };
}
