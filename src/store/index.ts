export { csvLine, type ExportedFile, type ExportReport, FolderError } from './csv';
export type { FileReport, ImportProgress, ImportReport, Problem } from './csv';
export { type OnStoreEvent, StoreError, type StoreEvent, type StoreTrouble } from './engine';
export {
  type CallerCount,
  type CallerRecord,
  type Counted,
  type FigurePoint,
  type FigureSpan,
  type NodeFacts,
  type NodeRecord,
  PULSE_MS,
  SENT_BOUNDS,
  SILENT_MS,
} from './figures';
export type { ForgetReport, ForgetSubject } from './forget';
export { backUpDatabase, moveDatabase, restoreDatabase, undoMoveOf } from './keep';
export {
  type BackupReport,
  type LastBackup,
  type MovedTable,
  removeLeftBehind,
  type RestoreReport,
} from './keeping';
export type { StoreOptions } from './open-engine';
export {
  type AreaCount,
  type AreaSpan,
  type AttemptRecord,
  type Backlog,
  type BusyWorker,
  Calendar,
  type CallerCodes,
  CODE_CHANNELS,
  type ClaimedMessage,
  dayAfter,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryRecord,
  type Erasure,
  hasProvider,
  type HeldArea,
  holdsCode,
  isForTelephone,
  isSamePhone,
  type Message,
  MESSAGE_CHANNELS,
  MESSAGE_STATES,
  type MessageChannel,
  type MessageState,
  type NewAttempt,
  type NewMessage,
  NOTE_LIFETIME_MS,
  type NoteForClass,
  type PastTraffic,
  phoneEnd,
  type PhoneFilter,
  PROVIDER_CHANNELS,
  type ProviderChannel,
  type PushContent,
  type PushCount,
  type RequestEnd,
  type WaitingRequests,
  type SentCode,
  significantDigits,
  type Settlement,
  type TraceContext,
  type UsageCount,
  type UsageName,
} from './outbox';
export {
  canonicalKey,
  canonicalSchoolUrl,
  type ClassSummary,
  type SchoolSummary,
  type Exam,
  type ExamEntry,
  type NoteType,
  type Student,
} from './queries';
export type { StoreInspection } from './inspect-engine';
export { inspectStore, openStore, type Store } from './store';
export type { Transaction } from './transaction';
