import type { RecordValue } from '../../../src/asmx';
import { BENCH_SCHOOLS, tokenOf } from '../../harness/load/school-data';
import { BENCH_PUPILS } from './bench-pupils';
import { flat } from './flat';

/** The reference service's answers, with lists long enough to measure: arguments in, results out, and no store. */
export const getTokenDevice = ({ id }: { readonly id?: string | null }): string => tokenOf(id ?? '');

export const getStudentSchool = ({
  school_base_url: url,
}: {
  readonly school_base_url?: string | null;
}): readonly RecordValue[] => LISTS.get(url ?? '') ?? [];

export const getPupils = ({ school }: { readonly school?: string | null }): readonly RecordValue[] =>
  BENCH_PUPILS.get(school ?? '') ?? [];

const LISTS = new Map<string, readonly RecordValue[]>(
  BENCH_SCHOOLS.map(({ url, students }) => [
    url,
    flat(students).map(({ id, fullName, device }) => ({
      id_student: id,
      fullName,
      id_device: device,
      ShowActive: 'Y',
    })),
  ]),
);
