export { canonicalSchoolUrl } from './canonical-school-url';
export type { Exam, ExamEntry } from './exams';
export {
  type Message,
  MESSAGE_PRIORITY,
  type MessageChannel,
  type MessageState,
  type NewMessage,
} from './messages';
export type { NoteType } from './note-types';
export type { StoreOptions } from './open-engine';
export { openStore, type Store, type Transaction } from './store';
export { StoreError, type StoreTrouble } from './store-error';
export type { OnStoreEvent, StoreEvent } from './store-event';
export type { Student } from './students';
