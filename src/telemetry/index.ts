export { BoundLog, openLog, type ServiceLog } from './log';
export { agentFamily, type CallLog, loggedAddress, RequestLog, traceIdOf } from './request-log';
export { Health, singleFlight } from './health';
export { createAdminApp, Metrics, OWN_FAILURE, type ReadableMetrics } from './metrics';
export { type MetricsSnapshot, PooledMetrics } from './pooled-metrics';
export type { TraceAttempt } from './tracing';
