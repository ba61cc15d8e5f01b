import { canonicalSchoolUrl, type Store } from '../store';
import type { Operation } from './contract';
import { LongLists } from './long-lists';
import { LONGEST, required } from './required';

export interface GetStudentSchoolDependencies {
  readonly students: Pick<Store['students'], 'ofSchool'>;
}

/** Lists the students of a school that carry a flag, by id; none for an unknown school. */
export function getStudentSchool({ students }: GetStudentSchoolDependencies): Operation<'GetStudentSchool'> {
  const longLists = new LongLists();
  return async (args, call) => {
    const school = canonicalSchoolUrl(required(args, 'school_base_url', LONGEST.url));
    const flag = required(args, 'show_active', LONGEST.flag);
    if (longLists.isFull) await longLists.turn();
    const list = await students.ofSchool(school, flag);
    longLists.made(list.length);
    call.annotate({ entries: list.length });
    return list.map(({ id, fullName, deviceId, showActive }) => ({
      id_student: id,
      fullName,
      id_device: deviceId,
      ShowActive: showActive,
    }));
  };
}
