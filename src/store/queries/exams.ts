import { sql } from 'kysely';

import { Repository } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import { isStorableText } from './schools';

interface ExamEntry {
  readonly subjectName: string;
  /** YYYY-MM-DD */
  readonly examDate: string;
  /** HH:MM */
  readonly startTime: string;
  readonly durationMinutes: number;
}

export interface Exam {
  readonly id: string;
  readonly name: string;
  /** Sorted by date, time and subject. */
  readonly entries: readonly ExamEntry[];
}

/** Returns no row for an unknown exam, and a row of nulls for one without entries. */
const EXAM = hotRead<
  { readonly id: string },
  readonly [
    id: string,
    name: string,
    subjectName: string | null,
    examDate: string | null,
    startTime: string | null,
    durationMinutes: number | null,
  ]
>(
  'exam',
  (param) => sql`select coalesce(exams.spelling, exams.id), exams.name, subject_name, exam_date, start_time,
  duration_minutes
    from exams left join exam_entries on exam_entries.exam_id = exams.id
    where exams.id = ${param(({ id }) => id)}
    order by exam_date, start_time, subject_name`,
);

export class Exams extends Repository {
  /** Returns the exam and its timetable, or undefined for an unknown one. */
  async find(examId: string): Promise<Exam | undefined> {
    if (!isStorableText(examId)) return undefined;
    const rows = await this.connection.rows(EXAM, { id: examId });
    const [first] = rows;
    if (first === undefined) return undefined;
    const entries = rows.flatMap(([, , subjectName, examDate, startTime, durationMinutes]) =>
      subjectName === null || examDate === null || startTime === null || durationMinutes === null
        ? []
        : [{ subjectName, examDate, startTime, durationMinutes }],
    );
    return { id: first[0], name: first[1], entries };
  }
}

interface NoteType {
  readonly id: string;
  readonly name: string;
}

const NOTE_TYPES = hotRead<undefined, readonly [id: string, name: string]>(
  'note_types',
  () => sql`select coalesce(spelling, id), name from note_types order by id`,
);

export class NoteTypes extends Repository {
  /** Lists all of them, by id. */
  async all(): Promise<readonly NoteType[]> {
    const rows = await this.connection.rows(NOTE_TYPES, undefined);
    return rows.map(([id, name]) => ({ id, name }));
  }
}
