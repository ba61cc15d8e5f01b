import { createWriteStream, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Kysely } from 'kysely';

import { errorWord } from '../../support/errors';
import { makePrivateFolder, PRIVATE_FILE } from '../../support/private-files';
import { type Database, type Session, StoreError } from '../engine';
import { CSV_FILES, type CsvFile, FolderError } from './csv-files';
import { csvLine } from './csv-line';
import { pagesOf } from './table-pages';

export interface ExportedFile {
  readonly file: string;
  readonly rows: number;
}

export interface ExportReport {
  readonly files: readonly ExportedFile[];
}

/**
 * Writes one CSV file per table, by key, as the data is at one moment; importing them again changes nothing.
 * A file takes its name only when it is complete, and is for its owner alone.
 *
 * @throws FolderError when the folder cannot be written, StoreError when the database fails
 */
export function exportFolder(session: Session, folder: string): Promise<ExportReport> {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    throw notWritable(folder, error);
  }
  return session.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const files: ExportedFile[] = [];
      for (const file of CSV_FILES) files.push(await exportFile(snapshot, file, folder));
      return { files };
    });
}

async function exportFile(snapshot: Kysely<Database>, file: CsvFile, folder: string): Promise<ExportedFile> {
  const path = join(folder, file.file);
  const partial = `${path}.partial`;
  // What cannot be taken away is none of ours: a folder of that name.
  const removePartial = (): Promise<void> => rm(partial, { force: true }).catch(() => undefined);
  let rows = 0;

  async function* texts(): AsyncGenerator<string> {
    yield csvLine(file.columns.map(({ header }) => header));
    for await (const page of pagesOf(snapshot, file)) {
      rows += page.length;
      yield page
        .map((row) => csvLine(file.columns.map(({ column, kind }) => kind.write(row[column] ?? null))))
        .join('');
    }
  }

  try {
    // One that a killed export has left would keep its mode.
    await removePartial();
    await pipeline(Readable.from(texts()), createWriteStream(partial, { mode: PRIVATE_FILE }));
    renameSync(partial, path);
  } catch (error) {
    await removePartial();
    throw error instanceof StoreError ? error : notWritable(folder, error);
  }
  return { file: file.file, rows };
}

function notWritable(folder: string, error: unknown): FolderError {
  return new FolderError(`The folder ${folder} cannot be written (${errorWord(error)}).`, {
    cause: error,
  });
}
