export { errorMessages } from './error-messages';
export { listWriter } from './list-markup';
export { requireList, requireString } from './result-type';
export type { Invocation, Reading, ServedOperation } from './served-operation';
