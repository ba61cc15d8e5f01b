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
