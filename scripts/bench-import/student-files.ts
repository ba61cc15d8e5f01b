import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const STUDENTS_PER_SCHOOL = 1000;
const CLASSES_PER_SCHOOL = 20;
/** Lines that are written together. */
const BLOCK_LINES = 10_000;
/** A prime: students of one school do not stand together, as if several lists had been put into one. */
const SHUFFLE = 7919;

/** Writes schools.csv, classes.csv and students.csv with this many students into a folder. */
export async function writeStudentFiles(folder: string, students: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const schools = Math.max(1, Math.round(students / STUDENTS_PER_SCHOOL));
  const url = (school: number) => `http://school-${String(school)}.example`;

  await write(folder, 'schools.csv', 'base_url,name', schools, (at) => `${url(at)},Okul ${String(at)}`);
  await write(
    folder,
    'classes.csv',
    'school_base_url,id_class,name',
    schools * CLASSES_PER_SCHOOL,
    (at) =>
      `${url(Math.floor(at / CLASSES_PER_SCHOOL))},C${String(at % CLASSES_PER_SCHOOL)},"Sınıf, ${String(at)}"`,
  );
  await write(
    folder,
    'students.csv',
    'school_base_url,id_student,fullName,ShowActive,id_class',
    students,
    (at) =>
      [
        url((at * SHUFFLE) % schools),
        `S${String(at)}`,
        `Çağrı Şimşek ${String(at)}`,
        at % 20 === 0 ? 'N' : 'Y',
        `C${String(at % CLASSES_PER_SCHOOL)}`,
      ].join(','),
  );
}

async function write(
  folder: string,
  file: string,
  header: string,
  lines: number,
  line: (at: number) => string,
): Promise<void> {
  function* blocks(): Generator<string> {
    yield `${header}\n`;
    for (let at = 0; at < lines; at += BLOCK_LINES) {
      const count = Math.min(BLOCK_LINES, lines - at);
      yield Array.from({ length: count }, (_, offset) => `${line(at + offset)}\n`).join('');
    }
  }
  await pipeline(Readable.from(blocks()), createWriteStream(join(folder, file)));
}
