export { CURRENT_DEVICE, Devices } from './devices';
export { type Exam, type ExamEntry, Exams } from './exams';
export { type NoteType, NoteTypes } from './note-types';
export { type ClassSummary, Schools, type SchoolSummary } from './schools';
export { canonicalKey, canonicalSchoolUrl, storableText } from './stored-text';
export { type Student, Students } from './students';
