export { decodedBody } from './bodies';
export { compareAnswers, type CompareOptions } from './compare-answers';
export { KNOWN_DIFFERENCES, type KnownDifference } from './known-differences';
export {
  type Difference,
  failedConnection,
  fails,
  isFailing,
  type Level,
  LEVELS,
  type Part,
  type Verdict,
  verdictOf,
  type What,
  worse,
} from './verdict';
export { withoutNoise } from './noise';
