export { createAdminApp } from './admin-app';
export { Health } from './health';
export { openLog, type ServiceLog } from './log';
export { maskPhone, maskToken } from './masks';
export { Metrics } from './metrics';
export { type MetricsSnapshot, PooledMetrics } from './pooled-metrics';
export { RequestLog } from './request-log';
export type { RequestRecord } from './request-record';
export { sharedQuestion } from './shared-question';
