export { canonicalSchoolUrl } from './queries/canonical-school-url';
export { FolderError } from './csv/folder-error';
export type { ExportedFile, ExportReport } from './csv/export-folder';
export type { DeliveryFilter, DeliveryRecord } from './outbox/deliveries';
export type { Exam, ExamEntry } from './queries/exams';
export type { FileReport, ImportProgress, ImportReport, Problem } from './csv/import-report';
export { makeFolder } from './engine/make-folder';
export type { NoteForClass, PushContent } from './outbox/mark-requests';
export {
  type Message,
  MESSAGE_CHANNELS,
  MESSAGE_STATES,
  type MessageChannel,
  type MessageState,
  type NewMessage,
} from './outbox/messages';
export type { NoteType } from './queries/note-types';
export type { Backlog, ClaimedMessage, Settlement } from './outbox/outbox';
export type { SentCode } from './outbox/sent-codes';
export type { StoreOptions } from './open-engine';
export { openStore, type Store } from './store';
export { StoreError, type StoreTrouble } from './engine/store-error';
export type { OnStoreEvent, StoreEvent } from './engine/store-event';
export type { Student } from './queries/students';
export type { Transaction } from './transaction';
