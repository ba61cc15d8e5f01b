export { Calendar, dayAfter } from './calendar';
export type { AttemptRecord, NewAttempt } from './attempts';
export { type AreaCount, type AreaSpan, CodeTraffic, type HeldArea, type PastTraffic } from './code-traffic';
export { Deliveries, type DeliveryPage, type DeliveryRecord } from './deliveries';
export type { DeliveryFilter, PhoneFilter } from './delivery-filter';
export {
  MarkRequests,
  type NoteForClass,
  type PushContent,
  type WaitingRequests,
  wakeMarkRequests,
} from './mark-requests';
export {
  CODE_CHANNELS,
  hasProvider,
  holdsCode,
  isForTelephone,
  MESSAGE_CHANNELS,
  type MessageChannel,
  OF_DEVICES,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from './channels';
export {
  type Message,
  MESSAGE_STATES,
  Messages,
  type MessageState,
  type NewMessage,
  NOTE_LIFETIME_MS,
  type TraceContext,
} from './messages';
export { type Backlog, type BusyWorker, type ClaimedMessage, Outbox } from './outbox';
export { REMOVAL_STEP, removeOfPerson } from './removal';
export { type OpenRequest, type PushCount, type RequestEnd, RequestEnds } from './request-ends';
export { Retention } from './retention';
export { Usage, type UsageCount, type UsageName } from './usage';
export { isSamePhone, significantDigits } from './same-phone';
export { type CallerCodes, phoneEnd, type SentCode, SentCodes } from './sent-codes';
export { type Erasure, Erasures, noteErasure } from './erasures';
export type { Settlement } from './settlement';
