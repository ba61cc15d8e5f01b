import { appendFileSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Files by name, each with its lines. */
export type CsvLines = Readonly<Record<string, Iterable<string>>>;

/** Lines are written together up to some such length, in UTF-16 units. */
const BLOCK_LENGTH = 500_000;

/** Writes CSV files into a folder, which is made where it is missing; returns the folder. */
export function writeCsv(folder: string, files: CsvLines): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, lines] of Object.entries(files)) {
    const file = openSync(join(folder, name), 'w');
    let block = '';
    for (const line of lines) {
      block += `${line}\n`;
      if (block.length > BLOCK_LENGTH) {
        appendFileSync(file, block);
        block = '';
      }
    }
    appendFileSync(file, block);
    closeSync(file);
  }
  return folder;
}

/** The header of each file of a school, by its name without `.csv`. */
export const CSV_HEADERS = {
  schools: 'base_url,name',
  classes: 'school_base_url,id_class,name',
  students: 'school_base_url,id_student,fullName,ShowActive,id_class',
  devices: 'id,school_base_url,id_student,token,platform,last_seen',
  exams: 'exam_id,name',
  exam_entries: 'exam_id,subject_name,exam_date,start_time,duration_minutes',
  note_types: 'id,name',
  notes: 'school_base_url,id,note_type,title,text',
} as const;

/** The rows of a school's files, by the names of these without `.csv`. */
export type SchoolRows = Readonly<Partial<Record<keyof typeof CSV_HEADERS, readonly string[]>>>;

/** Writes the files of a school, each with its header, into a folder, which is made where it is missing; returns the folder. */
export function writeSchool(folder: string, rows: SchoolRows): string {
  const files = Object.entries(rows).map(([name, lines]) => [
    `${name}.csv`,
    [CSV_HEADERS[name as keyof SchoolRows], ...lines], // The keys are those of its type.
  ]);
  return writeCsv(folder, Object.fromEntries(files) as CsvLines);
}
