export { bindingName } from './binding-names';
export { curlLine } from './curl-line';
export {
  type DifferenceGroup,
  type Finding,
  type Findings,
  findingsTogether,
  FindingsTotal,
  type PairCounts,
} from './findings';
export { htmlReport } from './html-report';
export { junitReport } from './junit-report';
export { jsonReport, type Report } from './report';
export { textReport } from './text-report';
