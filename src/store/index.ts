export { DATE_ORDERS } from './csv/cell-kinds';
export { csvLine, IMPORT_MAP, mapNamesFile } from './csv/csv-files';
export type { ImportOptions } from './csv/import-folder';
export { ENCODINGS } from './csv/read-csv';
export {
  type FileReport,
  HIDDEN,
  type ImportProgress,
  type ImportQuestion,
  type ImportReport,
  type LeftOut,
  type Problem,
  type UndoReport,
  type ValueCounts,
} from './csv/import-report';
export { StoreError, type StoreEvent } from './engine/engine';
export { type CallerCount, type MinuteCount, SENT_BOUNDS } from './stats/counted';
export type { StatsPoint } from './stats/stats';
export { nodeName, type NodeFacts, type NodeRecord, PULSE_MS, SILENT_MS } from './stats/nodes';
export type { ForgetReport, ForgetSubject } from './forget';
export type { LastBackup } from './keeping/backups';
export type { LastImport } from './keeping/imports';
export { CSV_FILE_COLUMNS, CSV_FILE_NAMES } from './csv/csv-files';
export { isTable } from './csv/find-files';
export { internalRows, SCHOOL_TABLES } from './keeping/tables';
export type { StoreInspection, StoreOptions } from './open-engine';
export type { AttemptRecord, Backlog, ClaimedMessage, NewAttempt, Settlement } from './outbox/outbox';
export { RECEIPT_CHOICES, type ReceiptChoice } from './outbox/receipt-states';
export {
  type CallerCodes,
  isSamePhone,
  phoneEnd,
  type SentCode,
  significantDigits,
} from './outbox/sent-codes';
export {
  CODE_CHANNELS,
  hasProvider,
  holdsCode,
  isForTelephone,
  MESSAGE_CHANNELS,
  type MessageChannel,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from './outbox/channels';
export type { CodeResults } from './outbox/code-results';
export type { DeliveryFilter, PageStart, PhoneFilter } from './outbox/delivery-filter';
export type { BusyWorker, DeliveryPage, DeliveryRecord } from './outbox/deliveries';
export {
  adviceOnHold,
  gatewaysFor,
  type HeldRoute,
  type Hold,
  holdNow,
  type Holds,
  holdsDuring,
  holdSentence,
  type HoldText,
  holdUntilEnd,
  isSameHold,
  mergeHolds,
  NO_HOLDS,
  noWorker,
  SHORT_HOLD_MS,
  type Waiting,
  waitingFor,
  WORKER_PULSE_MS,
} from './outbox/holds';
export type { Erasure, MaskedCode } from './outbox/retention';
export {
  ENDED_STATES,
  type EndedState,
  hasGone,
  MESSAGE_STATES,
  STATE_CHOICES,
  type StateChoice,
  chosenStates,
  type MessageState,
  type NewMessage,
  NOTE_LIFETIME_MS,
  timeOfMessageId,
  type TraceContext,
} from './outbox/messages';
export type { WaitingRequests } from './outbox/mark-requests';
export {
  adviceOnReason,
  briefAnswer,
  mayHaveBeenSent,
  type HeldBy,
  type HoldCause,
  type Reason,
  REASON_CODES,
  type ReasonCode,
  reasonFields,
  reasonSentence,
  type ReasonText,
  reasonText,
} from './outbox/reasons';
export type { FailureGroup, RecentMessages } from './outbox/recent';
export {
  startOfHour,
  isOfAnyNumber,
  type PhoneRefusal,
  type Refusal,
  refusalSentence,
  type RefusalText,
} from './outbox/refusals';
export type { PushCount, RequestEnd } from './outbox/request-ends';
export {
  canonicalSchoolUrl,
  type ClassSummary,
  type KeyForm,
  keyForm,
  type SchoolMatch,
  type SchoolSummary,
} from './queries/schools';
export type { Exam } from './queries/exams';
export { inspectStore, openStore, type Store } from './store';
export type { Transaction } from './transaction';
