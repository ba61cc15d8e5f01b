import type { RecordValue } from '../../../src/asmx';
import { BENCH_SCHOOLS, tokenOf } from '../../harness/load';

/** The reference service's answers, with lists long enough to measure: arguments in, results out, and no store. */
export const getTokenDevice = ({ id }: { readonly id?: string | null }): string => tokenOf(id ?? '');

export const getStudentSchool = ({
  school_base_url: url,
}: {
  readonly school_base_url?: string | null;
}): readonly RecordValue[] => LISTS.get(url ?? '') ?? [];

/** As a driver gives them: what JavaScript joins, as these names were, it leaves in pieces that cost each reader. */
const flat = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

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
