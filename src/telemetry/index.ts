export { BoundLog } from './bound-log';
export { agentFamily, loggedAddress } from './client';
export { Health } from './health';
export { openLog, type ServiceLog } from './log';
export { createAdminApp, Metrics, type ReadableMetrics } from './metrics';
export { type MetricsSnapshot, PooledMetrics } from './pooled-metrics';
export type { CallerTally } from './request-tally';
export { type CallLog, RequestLog } from './request-log';
export { singleFlight } from './single-flight';
