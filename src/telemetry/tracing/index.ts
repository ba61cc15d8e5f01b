export { openTracing } from './open-tracing';
export type { TracingTimes } from './span-tracing';
export type { Tracing } from './tracing';
