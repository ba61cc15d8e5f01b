export { type AcceptCode, codeAcceptance, type CodeDecision, type NewCode } from './accept-code';
export { eraseExpired } from './erase-expired';
export { QuietHoursCalendar } from './quiet-hours';
