export { curlLine } from './curl-line';
export {
  type DifferenceGroup,
  type Finding,
  type Findings,
  FindingsTotal,
  type PairCounts,
} from './findings';
