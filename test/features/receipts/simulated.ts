import { Receipts } from '../../../src/features/receipts/stored-receipts';
import type { RecordReport } from '../../simulation/receipts';

/** Records a report in a simulated world as the service does. */
export const record: RecordReport = (store, report, now) =>
  new Receipts(store).record([{ ...report, code: null, at: now, parts: null }], now);
