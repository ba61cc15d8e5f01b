export { UnwritableValue } from './answer-node';
export { errorMessages } from './handler-result';
export { resultWriter } from './result-writer';
export type { FormParameter, Invocation, ReadOutcome, ServedOperation } from './served-operation';
