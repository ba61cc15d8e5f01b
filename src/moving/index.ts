export type { Header, HttpAnswer, HttpRequest } from './messages';
export { writeLine } from './traffic';
export {
  compareAnswers,
  type CompareOptions,
  type Difference,
  isSame,
  type Level,
  type Verdict,
  withoutNoise,
} from './verdict';
