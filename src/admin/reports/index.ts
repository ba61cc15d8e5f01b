export { checkSettings, located } from './check-settings';
export { checkStore } from './check-store';
export { deliveryCsv, deliveryLines, isoTime, matchOf, recipientOf } from './delivery-records';
export { ATTEMPT_COLUMNS, attemptCells, factsOf } from './message-facts';
export { adviceOn } from './message-advice';
export { filterOf, type MessageNaming, NOT_OF_CODES, readAge } from './message-filter';
export { csvTable, jsonLine } from './record-texts';
export type { Section } from './section';
export {
  currenciesOf,
  USAGE_COLUMNS,
  usageCells,
  usageCsv,
  type UsageHead,
  usageName,
  withoutPrice,
} from './usage-records';
