export { BoundLog, openLog, type ServiceLog } from './log';
export {
  agentFamily,
  type CallLog,
  loggedAddress,
  PROBE_AGENT,
  RequestLog,
  readTraceId,
} from './request-log';
export { Health, singleFlight } from './health';
export {
  createAdminApp,
  Metrics,
  type MetricsSnapshot,
  OWN_FAILURE,
  PooledMetrics,
  type ReadableMetrics,
} from './metrics';
export { PASS_ON, type TraceAttempt, type Tracing } from './tracing';
