export { errorMessages, requireList, requireString } from './handler-result';
export { listWriter } from './list-markup';
export type { Invocation, ReadOutcome, ServedOperation } from './served-operation';
