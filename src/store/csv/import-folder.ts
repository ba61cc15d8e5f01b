import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, type RawBuilder, sql } from 'kysely';

import { errorWord } from '../../support/errors';
import type { KeyCollation } from '../../support/key-collation';
import { IrregularFileError, openToRead, type RegularFile } from '../../support/regular-file';
import type { Session } from '../engine/engine';
import { CSV_FILE_NAMES, CSV_FILES, type CsvFile, FolderError, type ImportMap } from './csv-files';
import {
  checkStaged,
  createStagingTable,
  indexStagingTable,
  KEY_SEPARATOR,
  sameRow,
  stagedColumn,
  stagedTable,
} from './staging-tables';
import {
  type FileReport,
  type ImportProgress,
  type ImportReport,
  MAX_PROBLEMS,
  type Problem,
  ProblemList,
  type ImportSummary,
  type Unreferenced,
  type ValueCounts,
} from './import-report';
import { compareStaged, findAbsent, isTooMuch, mergeChanges, removeAbsent } from './merge-changes';
import { sheetNames } from './read-xlsx';
import { type FileForm, isWorkbook, stageFile } from './stage-file';
import type { Database } from '../engine/schema';
import type { SqlValue } from '../engine/hot-statement';

export interface ImportOptions extends FileForm {
  /** Only checks, and writes nothing. */
  readonly dryRun?: boolean;
  /** Names of files, columns and values that differ from ours. */
  readonly map?: ImportMap;
  readonly onProgress?: (progress: ImportProgress) => void;
  /**
   * Also removes rows that the files lack, for the schools named in the files. If that is a large part of them, nothing
   * is written at all unless this is `even large parts`.
   */
  readonly replace?: 'small parts' | 'even large parts';
}

/**
 * Reads and checks all files of a folder, or all sheets of a workbook, then loads each in one transaction. A file with an
 * error is not loaded, nor are files that refer to it; with `replace`, no file is loaded then.
 *
 * @throws FolderError when there is nothing to load or a file cannot be read, StoreError when the database fails (files
 * loaded before stay loaded)
 */
export async function importFolder(
  session: Session,
  folder: string,
  options: ImportOptions,
  keys: KeyCollation,
): Promise<ImportReport> {
  const fileImport = new FileImport(session, options, keys);
  const { found, unknown } = await stageFiles(fileImport, folder, options.map ?? {});
  const files = [...found.keys()];

  const replaces = options.replace !== undefined;
  const isSound = unknown.length === 0 && files.every((file) => fileImport.errorsOf(file) === 0);
  const summary = await summarizeStaged(session.kysely, files, replaces);
  const removals = replaces && isSound ? await findAbsent(session.kysely, files) : [];
  const removesTooMuch = options.replace === 'small parts' && isTooMuch(removals);
  const mayWrite = options.dryRun !== true && !removesTooMuch;
  const held = new Set<string>();
  const reports: FileReport[] = [];
  for (const file of files) {
    const isHeld =
      (replaces && !isSound) ||
      fileImport.errorsOf(file) > 0 ||
      file.references.some((reference) => held.has(reference.file));
    if (isHeld) held.add(file.file);
    reports.push(await fileImport.merge(file, isHeld ? 'blocked' : mayWrite ? 'loaded' : 'checked'));
  }
  if (removals.length > 0 && !removesTooMuch && options.dryRun !== true) {
    await removeAbsent(session, removals, Date.now());
  }
  return {
    files: reports,
    problems: fileImport.problems.slice(0, MAX_PROBLEMS),
    problemCount: reports.reduce((sum, { errors }) => sum + errors, 0),
    unknownFiles: unknown,
    summary,
    removals,
    removesTooMuch,
  };
}

/** Reads all files of a folder, or all sheets of a workbook, into their staging tables. */
async function stageFiles(fileImport: FileImport, folder: string, map: ImportMap): Promise<FoundFiles> {
  const isBook = isWorkbook(folder) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true;
  const book = isBook ? await openSource(folder) : undefined;
  try {
    const names = book === undefined ? namesIn(folder) : await sheetNames(book);
    const files = findFiles(folder, names, isBook, map);
    for (const [file, name] of files.found) {
      const source = book ?? (await openSource(join(folder, name)));
      try {
        await fileImport.stage(file, name, source, isBook ? sameCase(name) : withoutEnding(file.file));
      } finally {
        if (source !== book) await source.handle.close();
      }
    }
    return files;
  } finally {
    await book?.handle.close();
  }
}

/** Name of the file with the errors of the last import of IMPORT_FOLDER. */
export const ERRORS_FILE = 'import-errors.csv';
/** Matches the names of tables, but not those that a spreadsheet creates while it has a file open. */
const TABLE_NAME = /^(?![.~]).*\.(?:csv|tsv|xlsx?|xlsm|ods)$/i;

/** Returns true for a file that an import of its folder reads or reports. */
export function isTable(name: string): boolean {
  return TABLE_NAME.test(name) && name !== ERRORS_FILE;
}

interface FoundFiles {
  /** Names of files or sheets, in loading order. */
  readonly found: ReadonlyMap<CsvFile, string>;
  /** Names of other tables or sheets. */
  readonly unknown: readonly string[];
}

/**
 * Finds the files of an import in a folder, or its sheets in a workbook; the case of their names does not matter.
 *
 * @throws FolderError when nothing is found, a file is there twice, or the map names one that is missing
 */
function findFiles(folder: string, names: readonly string[], isBook: boolean, map: ImportMap): FoundFiles {
  const found = new Map<CsvFile, string>();
  for (const file of CSV_FILES) {
    const mapped = map[file.file]?.file;
    const plain = withoutEnding(file.file);
    const ownNames = isBook ? [plain] : [file.file, `${plain}.xlsx`];
    const mappedName = mapped !== undefined && isBook ? withoutEnding(mapped) : mapped;
    const wanted = mappedName === undefined ? ownNames : [sameCase(mappedName)];
    const [name, other] = names.filter((each) => wanted.includes(sameCase(each)));
    if (name !== undefined && other !== undefined) {
      throw new FolderError(`${folder} contains ${name} and ${other}. Keep only one of them.`);
    }
    if (name !== undefined) found.set(file, name);
    else if (mapped !== undefined) {
      throw new FolderError(`${folder} does not contain ${mapped}, which the map names for ${file.file}.`);
    }
  }
  if (found.size === 0) {
    throw new FolderError(
      `${folder} contains no import files. Expected at least one of: ${CSV_FILE_NAMES.join(', ')}.`,
    );
  }
  const used = [...found.values()];
  return {
    found,
    unknown: names.filter((name) => (isBook || isTable(name)) && !used.includes(name)),
  };
}

function withoutEnding(name: string): string {
  return name.replace(/\.(?:csv|xlsx)$/i, '');
}

function sameCase(name: string): string {
  return name.normalize().toLowerCase();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new FolderError(`Cannot read the folder ${folder} (${errorWord(error)}).`, {
      cause: error,
    });
  }
}

/**
 * Opens a file of the import. A pipe would block it forever, and a link could reveal the first line of a foreign file in
 * an error; either may take the place of a file at any moment.
 *
 * @throws FolderError for anything but a regular file
 */
async function openSource(path: string): Promise<RegularFile> {
  try {
    return await openToRead(path);
  } catch (cause) {
    if (!(cause instanceof IrregularFileError))
      throw new FolderError(`Cannot read ${path} (${errorWord(cause)}).`, { cause });
    const advice = cause.code === 'is a link' ? ' Copy the file itself into the folder.' : '';
    throw new FolderError(`${path} ${cause.code}.${advice}`, { cause });
  }
}

/** Loads files on one session, which keeps staged rows: later files refer to them. */
class FileImport {
  readonly #session: Session;
  readonly #options: ImportOptions;
  readonly #keys: KeyCollation;
  readonly #staged: CsvFile[] = [];
  /** Names of files with rows that are not staged, so that references to them cannot be checked. */
  readonly #incomplete = new Set<string>();
  readonly #errors = new Map<CsvFile, number>();
  readonly #problems: Problem[] = [];
  /** Latest progress reported for each file. */
  readonly #last = new Map<CsvFile, ImportProgress>();

  constructor(session: Session, options: ImportOptions, keys: KeyCollation) {
    this.#session = session;
    this.#options = options;
    this.#keys = keys;
  }

  /** First problems of each file. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  errorsOf(file: CsvFile): number {
    return this.#errors.get(file) ?? 0;
  }

  async stage(file: CsvFile, name: string, opened: RegularFile, sheet: string): Promise<void> {
    const { kysely } = this.#session;
    const problems = new ProblemList();
    const map = this.#options.map?.[file.file];
    await createStagingTable(this.#session, file);
    const source = { opened, sheet, map, form: this.#options, keys: this.#keys };
    const isWhole = await stageFile(this.#session, file, source, problems, (progress) => {
      this.#last.set(file, progress);
      this.#options.onProgress?.(progress);
    });
    if (!isWhole) this.#incomplete.add(file.file);
    this.#tell(file, 'checking');
    await indexStagingTable(kysely, file);
    const references = file.references.filter((reference) => !this.#incomplete.has(reference.file));
    await checkStaged(kysely, file, references, this.#staged, problems, {
      isWholeTruth: this.#options.replace !== undefined,
      collation: this.#keys.name,
    });
    this.#staged.push(file);
    this.#errors.set(file, problems.count);
    // The report gives the file's own names.
    const ownHeader = (header: string): string => map?.columns?.[header] ?? header;
    for (const problem of problems.first) {
      const column = problem.column.split(KEY_SEPARATOR).map(ownHeader).join(KEY_SEPARATOR);
      this.#problems.push({ ...problem, file: name, column });
    }
  }

  /** Compares a file with the database and, with the outcome `loaded`, writes its new and changed rows. */
  async merge(file: CsvFile, outcome: FileReport['outcome']): Promise<FileReport> {
    const errors = this.errorsOf(file);
    const rows = this.#last.get(file)?.rows ?? 0;
    if (errors > 0) {
      const none = { newRows: 0, changedRows: 0, unchangedRows: 0 };
      return { file: file.file, outcome: 'refused', rows, ...none, errors };
    }
    const { newRows, changedRows } = await compareStaged(this.#session.kysely, file);
    if (outcome === 'loaded' && newRows + changedRows > 0) {
      this.#tell(file, 'writing');
      await mergeChanges(this.#session, file, Date.now());
    }
    const unchangedRows = rows - newRows - changedRows;
    return { file: file.file, outcome, rows, newRows, changedRows, unchangedRows, errors };
  }

  #tell(file: CsvFile, step: ImportProgress['step']): void {
    const last = this.#last.get(file);
    if (last !== undefined) this.#options.onProgress?.({ ...last, step });
  }
}

/** Columns with few values, by file. */
const COUNTED: Readonly<Record<string, string>> = { 'students.csv': 'ShowActive', 'devices.csv': 'platform' };
/** Files whose rows should be referenced, each with the file that refers to them. */
const REFERENCED: Readonly<Record<string, string>> = {
  'classes.csv': 'students.csv',
  'students.csv': 'devices.csv',
};
/** Maximum number of values counted individually for a column. */
const MAX_VALUES = 10;

/**
 * Counts what a person would check in staged files. Bad cells are not counted.
 *
 * @param isWholeTruth - stored rows of a staged file that the file lacks will be removed
 */
async function summarizeStaged(
  kysely: Kysely<Database>,
  staged: readonly CsvFile[],
  isWholeTruth: boolean,
): Promise<ImportSummary> {
  const values: ValueCounts[] = [];
  const unreferenced: Unreferenced[] = [];
  for (const file of staged) {
    const counted = file.columns.find(({ header }) => header === COUNTED[file.file]);
    if (counted !== undefined) {
      const counts = await valueCounts(kysely, file, stagedColumn(counted.column));
      values.push({ file: file.file, header: counted.header, ...counts });
    }
    const child = CSV_FILES.find((each) => each.file === REFERENCED[file.file]);
    if (child !== undefined) {
      const counts = await unreferencedRows(kysely, file, child, staged.includes(child), isWholeTruth);
      unreferenced.push({ file: file.file, by: child.file, ...counts });
    }
  }
  return { values, unreferenced };
}

async function valueCounts(
  kysely: Kysely<Database>,
  file: CsvFile,
  column: string,
): Promise<Pick<ValueCounts, 'counts' | 'others'>> {
  const { rows } = await sql<{ value: string; rows: number; all_rows: SqlValue }>`
    select value, rows, sum(rows) over () as all_rows from (
      select ${sql.ref(column)} as value, count(*) as rows from ${sql.table(stagedTable(file))}
      where ${sql.ref(column)} is not null group by ${sql.ref(column)}
    ) as counted order by rows desc, value limit ${sql.lit(MAX_VALUES)}`.execute(kysely);
  const counts = rows.map(({ value, rows: count }) => ({ value, rows: count }));
  const listed = counts.reduce((sum, count) => sum + count.rows, 0);
  return { counts, others: Number(rows[0]?.all_rows ?? 0) - listed };
}

/** Counts the staged rows of a file to which no row of another refers, in the file or else in the database. */
async function unreferencedRows(
  kysely: Kysely<Database>,
  parent: CsvFile,
  child: CsvFile,
  isChildStaged: boolean,
  isWholeTruth: boolean,
): Promise<Pick<Unreferenced, 'rows' | 'of'>> {
  const columns = child.references.find(({ file }) => file === parent.file)?.columns ?? {};
  const [own = '', other = ''] = Object.entries(columns).find(([column]) => column !== 'school_id') ?? [];
  const parents = sql`select school_url, ${sql.ref(other)} from ${sql.table(stagedTable(parent))}
    where school_url is not null and ${sql.ref(other)} is not null`;
  const references: RawBuilder<unknown>[] = [];
  if (isChildStaged) {
    references.push(sql`select school_url, ${sql.ref(own)} from ${sql.table(stagedTable(child))}`);
  }
  if (!isChildStaged || !isWholeTruth) {
    references.push(sql`select sc.base_url, ${sql.ref(`t.${own}`)} from ${sql.table(child.table)} as t
      join schools as sc on sc.id = t.school_id
      where sc.base_url in (select school_url from ${sql.table(stagedTable(parent))})
      ${isChildStaged ? sql`and not exists (${sameRow(child)})` : sql``}`);
  }
  const { rows } = await sql<{ lonely: number; there: number }>`select
    (select count(*) from (
      ${parents} except select * from (${sql.join(references, sql` union all `)}) as named
    ) as lonely) as lonely,
    (select count(*) from (${parents}) as there) as there`.execute(kysely);
  return { rows: rows[0]?.lonely ?? 0, of: rows[0]?.there ?? 0 };
}
