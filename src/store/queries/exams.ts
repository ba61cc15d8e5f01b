import type { Connection } from '../engine';
import { isStorableText } from './stored-text';

export interface ExamEntry {
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
  /** By date, time and subject. */
  readonly entries: readonly ExamEntry[];
}

export class Exams {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The exam and its timetable, or undefined for an unknown one. */
  async find(examId: string): Promise<Exam | undefined> {
    if (!isStorableText(examId)) return undefined;
    const rows = await this.#connection.kysely
      .selectFrom('exams')
      .leftJoin('exam_entries', 'exam_entries.exam_id', 'exams.id')
      .select(['exams.name', 'subject_name', 'exam_date', 'start_time', 'duration_minutes'])
      .where('exams.id', '=', examId)
      .orderBy('exam_date')
      .orderBy('start_time')
      .orderBy('subject_name')
      .execute();
    const [first] = rows;
    if (first === undefined) return undefined;
    const entries = rows.flatMap(({ subject_name, exam_date, start_time, duration_minutes }) =>
      // All null where the exam has no entry.
      subject_name === null || exam_date === null || start_time === null || duration_minutes === null
        ? []
        : [
            {
              subjectName: subject_name,
              examDate: exam_date,
              startTime: start_time,
              durationMinutes: duration_minutes,
            },
          ],
    );
    return { id: examId, name: first.name, entries };
  }
}
