import { join } from 'node:path';

import { ALL_FEATURES } from '../features/feature';
import { sqlitePath } from '../support/database-url';
import type { Config } from './load-config';

/** Suffixes of a SQLite database file, its write-ahead log, and the log's index. */
const SQLITE_FILES = ['', '-wal', '-shm'];

/** Returns the folder for messages that are written instead of sent. */
function outboxFolder({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string {
  return join(DATA_DIR, 'outbox');
}

/** Returns the file for messages that are written instead of sent. */
export function outboxFile(config: Pick<Config, 'DATA_DIR'>, channel: 'sms' | 'push'): string {
  return join(outboxFolder(config), `${channel}.jsonl`);
}

/** Returns the file of the database; undefined if it is not a file on this machine. */
export function databaseFile({ DATABASE_URL }: Pick<Config, 'DATABASE_URL'>): string | undefined {
  return sqlitePath(DATABASE_URL);
}

/** Returns the files and folders that the service writes, existing or not: all may contain personal data. */
export function dataPaths(config: Pick<Config, 'DATA_DIR' | 'DATABASE_URL'>): readonly string[] {
  const database = databaseFile(config);
  return [
    config.DATA_DIR,
    ...(database === undefined ? [] : SQLITE_FILES.map((ending) => database + ending)),
    outboxFolder(config),
    outboxFile(config, 'sms'),
    outboxFile(config, 'push'),
    ...ALL_FEATURES.flatMap(({ dataPaths: pathsOf }) => pathsOf?.(config.DATA_DIR) ?? []),
  ];
}
