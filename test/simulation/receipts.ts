import { createRequire } from 'node:module';

import { FEATURES } from '../../src/features';
import type { Store } from '../../src/store';
import type { GatewayReport } from './judge';

/** Records what a gateway reported. @param now - milliseconds since 1970 UTC */
export type RecordReport = (store: Store, report: GatewayReport, now: number) => Promise<unknown>;

/** Returns what records reports: `simulated.ts` beside the tests of the feature; undefined without it. */
export function receiptRecorder(): RecordReport | undefined {
  if (!('receipts' in FEATURES)) return undefined;
  const load = createRequire(__filename);
  return (load('../features/receipts/simulated') as { readonly record: RecordReport }).record;
}
