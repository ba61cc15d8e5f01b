export { type AcceptCode, codeAcceptance, type CodeDecision, type NewCode } from './accept-code';
export { countHeldAreas, GuardReport } from './guard-report';
export { eraseExpired } from './erase-expired';
export { OldMessages } from './old-messages';
export { PumpingGuard } from './pumping-guard';
export { type NotBefore, QuietHoursCalendar } from './quiet-hours';
