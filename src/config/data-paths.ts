import { join } from 'node:path';

import type { Config } from './load-config';

/** Beside a database file of SQLite: its write-ahead log, and the index of that. */
const SQLITE_FILES = ['', '-wal', '-shm'];

/** The folder of what is written instead of sent. */
function outboxFolder({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string {
  return join(DATA_DIR, 'outbox');
}

/** The file of what is written instead of sent. */
export function outboxFile(config: Pick<Config, 'DATA_DIR'>, channel: 'sms' | 'push'): string {
  return join(outboxFolder(config), `${channel}.jsonl`);
}

/** The file of the database; undefined where it is in none of this machine. */
export function databaseFile({ DATABASE_URL }: Pick<Config, 'DATABASE_URL'>): string | undefined {
  return /^sqlite:(?!:memory:$)(.+)$/s.exec(DATABASE_URL)?.[1];
}

/** The folder of what the front door found by comparing. */
export function comparedFolder({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string {
  return join(DATA_DIR, 'compared');
}

/** The files and folders that the service writes, whether they are there or not: all can hold personal data. */
export function dataPaths(config: Pick<Config, 'DATA_DIR' | 'DATABASE_URL'>): readonly string[] {
  const database = databaseFile(config);
  return [
    config.DATA_DIR,
    ...(database === undefined ? [] : SQLITE_FILES.map((ending) => database + ending)),
    outboxFolder(config),
    outboxFile(config, 'sms'),
    outboxFile(config, 'push'),
    comparedFolder(config),
  ];
}
