export { createAdminApp, type ReadableMetrics } from './admin-app';
export { BoundLog } from './bound-log';
export { openLog, type ServiceLog } from './log';
export { RepeatedLines } from './repeated-lines';
export {
  agentFamily,
  type CallLog,
  loggedAddress,
  PROBE_AGENT,
  RequestLog,
  readTraceId,
} from './request-log';
export { Health } from './health';
export { Metrics, OWN_FAILURE } from './metrics';
export { type MetricsSnapshot, PooledMetrics } from './pooled-metrics';
export { PASS_ON, type TraceAttempt, type Tracing } from './tracing';
