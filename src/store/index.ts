export { canonicalSchoolUrl } from './canonical-school-url';
export { FolderError } from './csv/folder-error';
export type { ExportedFile, ExportReport } from './export/export-folder';
export type { DeliveryFilter, DeliveryRecord } from './deliveries';
export type { Exam, ExamEntry } from './exams';
export type { FileReport, ImportProgress, ImportReport, Problem } from './import/import-report';
export { makeFolder } from './make-folder';
export type { NoteForClass, PushContent } from './mark-requests';
export {
  type Message,
  MESSAGE_CHANNELS,
  MESSAGE_STATES,
  type MessageChannel,
  type MessageState,
  type NewMessage,
} from './messages';
export type { NoteType } from './note-types';
export type { Backlog, ClaimedMessage, Settlement } from './outbox';
export type { SentCode } from './sent-codes';
export type { StoreOptions } from './open-engine';
export { openStore, type Store } from './store';
export { StoreError, type StoreTrouble } from './store-error';
export type { OnStoreEvent, StoreEvent } from './store-event';
export type { Student } from './students';
export type { Transaction } from './transaction';
