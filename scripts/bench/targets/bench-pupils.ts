import { DateTime, type RecordValue } from '../../../src/asmx';
import { PUPIL_LISTS, pupilNumber, PUPILS } from '../../harness/load/pupil-data';
import { BENCH_SCHOOLS } from '../../harness/load/school-data';
import { flat } from './flat';

const GRADES = ['Low', 'Middle', 'High'] as const;
const START = DateTime.parse('2026-09-01T08:30:00');
const SECONDS_APART = 40_009;
const NAMES = flat(BENCH_SCHOOLS.flatMap(({ students }) => students.map(({ fullName }) => fullName)));

/** The lists of BenchRecords.wsdl by their names: records of ten fields, each of another type. */
export const BENCH_PUPILS: ReadonlyMap<string, readonly RecordValue[]> = new Map(
  PUPIL_LISTS.map((name, list) => [name, Array.from({ length: PUPILS }, (_, index) => pupil(list, index))]),
);

/** Makes a pupil; what differs from list to list has one width, so that all answers have one length. */
function pupil(list: number, index: number): RecordValue {
  return {
    fullName: NAMES[index] ?? '',
    seat: index,
    number: pupilNumber(list, index),
    present: index % 10 !== 0,
    fee: flat(`${String(100 + index)}.50`),
    // An average of seven marks: mostly as many digits as there can be.
    average: (index * 13) / 7,
    since: new DateTime(START.wallTime + index * SECONDS_APART * 1000),
    key: flat(`0123${String(index).padStart(4, '0')}-89ab-cdef-0123-456789abcdef`),
    grade: GRADES[index % GRADES.length] ?? GRADES[0],
    absences: index % 3 === 0 ? null : index % 40,
  };
}
