export { type AcceptCode, codeAcceptance, type CodeDecision, type NewCode } from './accept-code';
export { eraseExpired } from './erase-expired';
export { type NotBefore, QuietHoursCalendar } from './quiet-hours';
