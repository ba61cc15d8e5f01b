import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod';

import { OperatorError, tryTo } from '../../support/errors';
import type { Database } from '../engine/schema';
import {
  type CellKind,
  date,
  integer,
  key,
  oneCharacter,
  optionalInstant,
  optionalKey,
  schoolUrl,
  subject,
  text,
  timeOfDay,
} from './cell-kinds';

export interface CsvColumn {
  readonly header: string;
  /** Column of the table. For `school_id` the file contains the school's URL. */
  readonly column: string;
  readonly kind: CellKind;
  /** True if the column holds personal data or a secret, which errors must not show. */
  readonly isPersonal?: boolean;
}

/** Foreign key to rows of another file, or of its table. */
export interface Reference {
  readonly file: string;
  /** Columns of this table, each with the equal column of the other table. */
  readonly columns: Readonly<Record<string, string>>;
  /** Header and message for an error. */
  readonly header: string;
  readonly reason: string;
}

export interface CsvFile {
  readonly file: string;
  readonly table: keyof Database;
  readonly columns: readonly CsvColumn[];
  readonly key: readonly string[];
  readonly references: readonly Reference[];
  /** Columns that order the export, if not the key: rows that are read together. */
  readonly writtenBy?: readonly string[];
  /** Further assignments of an update. */
  readonly alsoUpdate?: RawBuilder<unknown>;
}

const NAME_CHARACTERS = 1000;

const SCHOOL: CsvColumn = { header: 'school_base_url', column: 'school_id', kind: schoolUrl };

const IN_SCHOOL: Reference = {
  file: 'schools.csv',
  columns: { school_id: 'base_url' },
  header: SCHOOL.header,
  reason: 'unknown school',
};

const NAME: CsvColumn = { header: 'name', column: 'name', kind: text(NAME_CHARACTERS) };

/** Returns true for a table whose ids are its own: it has a column for their spelling. */
export function hasSpelling({ columns }: CsvFile): boolean {
  return columns.some(({ column, kind }) => column === 'id' && kind.isKey === true);
}

/** Returns the names of the columns that an import writes. */
export function writtenColumns(file: CsvFile): readonly string[] {
  const names = file.columns.map(({ column }) => column);
  return hasSpelling(file) ? [...names, 'spelling'] : names;
}

/** All files of an import or export, in loading order: referenced files come first. */
export const CSV_FILES: readonly CsvFile[] = [
  {
    file: 'schools.csv',
    table: 'schools',
    columns: [{ header: 'base_url', column: 'base_url', kind: schoolUrl }, NAME],
    key: ['base_url'],
    references: [],
  },
  {
    file: 'classes.csv',
    table: 'classes',
    columns: [SCHOOL, { header: 'id_class', column: 'id', kind: key }, NAME],
    key: ['school_id', 'id'],
    references: [IN_SCHOOL],
  },
  {
    file: 'students.csv',
    table: 'students',
    columns: [
      SCHOOL,
      { header: 'id_student', column: 'id', kind: key, isPersonal: true },
      { header: 'fullName', column: 'full_name', kind: text(NAME_CHARACTERS), isPersonal: true },
      { header: 'ShowActive', column: 'show_active', kind: oneCharacter },
      { header: 'id_class', column: 'class_id', kind: optionalKey },
    ],
    key: ['school_id', 'id'],
    references: [
      IN_SCHOOL,
      {
        file: 'classes.csv',
        columns: { school_id: 'school_id', class_id: 'id' },
        header: 'id_class',
        reason: 'unknown class in this school',
      },
    ],
  },
  {
    file: 'devices.csv',
    table: 'devices',
    columns: [
      { header: 'id', column: 'id', kind: key, isPersonal: true },
      SCHOOL,
      { header: 'id_student', column: 'student_id', kind: key, isPersonal: true },
      { header: 'token', column: 'token', kind: text(4096), isPersonal: true },
      { header: 'platform', column: 'platform', kind: text(NAME_CHARACTERS) },
      { header: 'last_seen', column: 'last_seen', kind: optionalInstant },
    ],
    key: ['id'],
    references: [
      IN_SCHOOL,
      {
        file: 'students.csv',
        columns: { school_id: 'school_id', student_id: 'id' },
        header: 'id_student',
        reason: 'unknown student in this school',
      },
    ],
    writtenBy: ['school_id', 'student_id'],
    // A token that the push provider declared dead stays dead; a new token is valid again.
    alsoUpdate: sql`valid = case when devices.token = excluded.token then devices.valid else 1 end`,
  },
  {
    file: 'exams.csv',
    table: 'exams',
    columns: [{ header: 'exam_id', column: 'id', kind: key }, NAME],
    key: ['id'],
    references: [],
  },
  {
    file: 'exam_entries.csv',
    table: 'exam_entries',
    columns: [
      { header: 'exam_id', column: 'exam_id', kind: key },
      { header: 'subject_name', column: 'subject_name', kind: subject },
      { header: 'exam_date', column: 'exam_date', kind: date },
      { header: 'start_time', column: 'start_time', kind: timeOfDay },
      { header: 'duration_minutes', column: 'duration_minutes', kind: integer(0, 10_080) },
    ],
    // The date is left out: an exam moved to another day must not remain on both.
    key: ['exam_id', 'subject_name'],
    references: [
      {
        file: 'exams.csv',
        columns: { exam_id: 'id' },
        header: 'exam_id',
        reason: 'unknown exam',
      },
    ],
  },
  {
    file: 'note_types.csv',
    table: 'note_types',
    columns: [{ header: 'id', column: 'id', kind: key }, NAME],
    key: ['id'],
    references: [],
  },
  {
    file: 'notes.csv',
    table: 'notes',
    columns: [
      SCHOOL,
      { header: 'id', column: 'id', kind: key },
      { header: 'note_type', column: 'note_type', kind: optionalKey },
      { header: 'title', column: 'title', kind: text(NAME_CHARACTERS), isPersonal: true },
      { header: 'text', column: 'text', kind: text(10_000), isPersonal: true },
    ],
    key: ['school_id', 'id'],
    references: [
      IN_SCHOOL,
      {
        file: 'note_types.csv',
        columns: { note_type: 'id' },
        header: 'note_type',
        reason: 'unknown note type',
      },
    ],
  },
];

/** Other names that a school's files may have, by file. */
export const IMPORT_MAP = z.strictObject(
  Object.fromEntries(CSV_FILES.map((file) => [file.file, fileMap(file).optional()])),
);
export type ImportMap = Readonly<z.infer<typeof IMPORT_MAP>>;

/**
 * Returns true if the text of a map names a file for a table, in any case. False for an invalid map.
 *
 * @param name - of the file, in composed letters (NFC)
 */
export function mapNamesFile(map: string, name: string): boolean {
  const { data = {} } = IMPORT_MAP.safeParse(tryTo((): unknown => JSON.parse(map.replace(/^\uFEFF/, ''))));
  return Object.values(data).some((table) => table?.file?.normalize().toLowerCase() === name.toLowerCase());
}

/** Name of the file, its headers by ours, and by our header what to read for some of its cells. */
export type FileMap = z.infer<ReturnType<typeof fileMap>>;

function fileMap({ columns }: CsvFile) {
  const byHeader = <T extends z.ZodType>(value: T) =>
    z.strictObject(Object.fromEntries(columns.map(({ header }) => [header, value.optional()]))).optional();
  return z.strictObject({
    file: z.string().min(1).optional(),
    columns: byHeader(z.string().min(1)),
    values: byHeader(z.record(z.string(), z.string())),
  });
}

export const CSV_FILE_NAMES: readonly string[] = CSV_FILES.map(({ file }) => file);

/** Names of all files, each with the headers of its columns. */
export const CSV_FILE_COLUMNS = CSV_FILES.map(({ file, columns }) => ({
  file,
  headers: columns.map(({ header }) => header),
}));

/**
 * Thrown for a folder that cannot be imported from or exported to. The message is one line for the operator.
 */
export class FolderError extends OperatorError {
  override readonly name = 'FolderError';
}

/** Formats one record by RFC 4180, with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
