import { writeSchool } from '../write-csv';

/** Schools by the number of their students; every request of a load may name another of its schools. */
const SCHOOLS = new Map([
  [30, 200],
  [1_000, 10],
  [10_000, 1],
]);

const GIVEN_NAMES = ['Ayşe', 'Çağrı', 'İlker', 'Gülşen', 'أحمد', 'فاطمة', 'محمد', 'Ömer'] as const;
const FAMILY_NAMES = [
  'Yılmazer',
  'Şahinoğlu',
  'Öztürk',
  'الزهراني',
  'Güneş',
  'السعيد',
  'Çelikkıran',
] as const;

export interface BenchStudent {
  readonly id: string;
  readonly fullName: string;
  readonly device: string;
}

export interface BenchSchool {
  readonly url: string;
  readonly students: readonly BenchStudent[];
}

/** A device's number has so many digits. */
export const DEVICE_DIGITS = 8;

/**
 * Makes the same schools in every run. What differs from school to school has one width, so that the answers of one
 * load are of one length.
 */
export const BENCH_SCHOOLS: readonly BenchSchool[] = makeSchools();

/** Students of all schools; each has a device. */
export const BENCH_STUDENTS = BENCH_SCHOOLS.reduce((sum, { students }) => sum + students.length, 0);

/** The n-th device of all schools, and of those that a run adds to them. */
export function deviceName(n: number): string {
  return `D${digits(n, DEVICE_DIGITS)}`;
}

export function schoolsWith(students: number): readonly BenchSchool[] {
  return BENCH_SCHOOLS.filter((school) => school.students.length === students);
}

export function tokenOf(device: string): string {
  return `TOKEN-${device}`;
}

function makeSchools(): readonly BenchSchool[] {
  let devices = 0;
  return [...SCHOOLS].flatMap(([size, count]) =>
    Array.from({ length: count }, (_, school) => ({
      url: `http://s${digits(size, 5)}-${digits(school, 3)}.example`,
      students: Array.from({ length: size }, (_, student) => ({
        id: `S${digits(student, 5)}`,
        fullName: `${nameAt(GIVEN_NAMES, student)} ${nameAt(FAMILY_NAMES, student)}`,
        device: deviceName(devices++),
      })),
    })),
  );
}

function nameAt(names: readonly string[], index: number): string {
  return names[index % names.length] ?? '';
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** Writes the schools as the files that `school-notifications import` reads. */
export function writeSchoolFiles(folder: string): void {
  const ofEach = (line: (school: BenchSchool, student: BenchStudent) => string): readonly string[] =>
    BENCH_SCHOOLS.flatMap((school) => school.students.map((student) => line(school, student)));
  writeSchool(folder, {
    schools: BENCH_SCHOOLS.map(({ url }) => `${url},Örnek Okulu`),
    students: ofEach(({ url }, { id, fullName }) => `${url},${id},${fullName},Y,`),
    devices: ofEach(({ url }, { id, device }) => `${device},${url},${id},${tokenOf(device)},android,`),
  });
}
