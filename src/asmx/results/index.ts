export { errorMessages, requireList, requireString } from './handler-result';
export { listWriter } from './list-markup';
export type { Invocation, Reading, ServedOperation } from './served-operation';
