export { decodedBody, isPage } from './bodies';
export { compareAnswers, type CompareOptions } from './compare-answers';
export { inflate } from './inflate';
export { KNOWN_DIFFERENCES } from './known-differences';
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
} from './verdict';
export { withoutNoise } from './noise';
