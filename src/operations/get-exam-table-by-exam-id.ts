import type { Exam, Store } from '../store';
import { requiredKey } from './arguments';
import { type Operation, ReadDocument } from './contract';

export interface GetExamTableDependencies {
  readonly exams: Pick<Store['exams'], 'find'>;
}

/** Reads an exam and its timetable, entries by date and time. The read shows in the log. */
export function getExamTableByExamId({ exams }: GetExamTableDependencies): Operation<'GetExamTableByExamId'> {
  return async (args, call) => {
    const exam = await exams.find(requiredKey(args, 'ExamId'));
    call.annotate({ found: exam !== undefined, entries: exam?.entries.length ?? 0 });
    return exam === undefined
      ? new ReadDocument(404, 'Exam not found.', [])
      : new ReadDocument(200, 'OK', timetable(exam));
  };
}

function timetable({ id, name, entries }: Exam): ReadDocument['data'] {
  return entries.map((entry) => ({
    examDate: monthFirst(entry.examDate),
    subjectName: entry.subjectName,
    examId: id,
    startTime: entry.startTime,
    duration: String(entry.durationMinutes),
    examName: name,
  }));
}

/** YYYY-MM-DD to MM/DD/YYYY, which the apps parse. */
function monthFirst(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${month}/${day}/${year}`;
}
