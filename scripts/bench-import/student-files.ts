import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { zipArchive } from '../../src/support/zip';
import { writeCsv } from '../harness';

const STUDENTS_PER_SCHOOL = 1000;
const CLASSES_PER_SCHOOL = 20;
/** A prime: students of one school do not stand together, as if several lists had been put into one. */
const SHUFFLE = 7919;

/** Writes schools.csv, classes.csv and students.csv with this many students into a folder. */
export function writeStudentFiles(folder: string, students: number): void {
  const schools = Math.max(1, Math.round(students / STUDENTS_PER_SCHOOL));
  const url = (school: number): string => `http://school-${String(school)}.example`;
  writeCsv(folder, {
    'schools.csv': lines('base_url,name', schools, (at) => `${url(at)},Okul ${String(at)}`),
    'classes.csv': lines('school_base_url,id_class,name', schools * CLASSES_PER_SCHOOL, (at) => {
      const school = Math.floor(at / CLASSES_PER_SCHOOL);
      return `${url(school)},C${String(at % CLASSES_PER_SCHOOL)},"Sınıf, ${String(at)}"`;
    }),
    'students.csv': lines('school_base_url,id_student,fullName,ShowActive,id_class', students, (at) =>
      [
        url((at * SHUFFLE) % schools),
        `S${String(at)}`,
        `Çağrı Şimşek ${String(at)}`,
        at % 20 === 0 ? 'N' : 'Y',
        `C${String(at % CLASSES_PER_SCHOOL)}`,
      ].join(','),
    ),
  });
}

function* lines(header: string, count: number, line: (at: number) => string): Generator<string> {
  yield header;
  for (let at = 0; at < count; at += 1) yield line(at);
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Puts students.xlsx in the place of students.csv, with the same cells, which contain no commas. */
export function turnIntoWorkbook(folder: string): void {
  const path = join(folder, 'students.csv');
  const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = readFileSync(path, 'utf8')
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `<row>${line.split(',').map(cell).join('')}</row>`);
  const workbook = zipArchive({
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="students" sheetId="1" r:id="a"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="${OFFICE}/worksheet" Target="sheet1.xml"/></Relationships>`,
    'xl/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
  });
  writeFileSync(join(folder, 'students.xlsx'), workbook);
  rmSync(path);
}
