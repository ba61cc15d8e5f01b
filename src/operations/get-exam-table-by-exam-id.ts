import type { Store } from '../store';
import type { Operation } from './contract';
import { LONGEST, required } from './required';

export interface GetExamTableDependencies {
  readonly exams: Pick<Store['exams'], 'find'>;
}

/** Reads an exam and its timetable. The contract declares no result: the read shows in the log. */
export function getExamTableByExamId({ exams }: GetExamTableDependencies): Operation<'GetExamTableByExamId'> {
  return async (args, call) => {
    const exam = await exams.find(required(args, 'ExamId', LONGEST.key));
    call.annotate({ found: exam !== undefined, entries: exam?.entries.length ?? 0 });
    return undefined;
  };
}
