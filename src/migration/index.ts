export type { Header, HttpAnswer, HttpRequest } from './messages';
export {
  type PassedOver,
  readTraffic,
  type Recorded,
  TRAFFIC_KINDS,
  type TrafficKind,
} from './traffic/traffic';
export { writeLine } from './traffic/own-lines';
export { Sends } from './calls';
export { CannotCompare, checkDescriptions } from './comparing/describe';
export { compareServers, type Comparison, sampleValues } from './comparing/compare-servers';
export type { Plan } from './comparing/plan';
export type { TargetOptions } from './comparing/target';
export { compareAnswers } from './verdict/compare-answers';
export type { Verdict } from './verdict/verdict';
export { bindingName, type Findings } from './report/findings';
export { htmlReport } from './report/reports';
export { differenceText, jsonReport, type Report } from './report/report';
export { junitReport, textReport } from './report/reports';
export { Cutover } from './reverse-proxy/cutover';
export { type ForwardedCall, ForwardingReport } from './reverse-proxy/forwarding-report';
export { ReverseProxy, type ReverseProxyOptions } from './reverse-proxy/reverse-proxy';
export { Recorder } from './reverse-proxy/recorder';
export { readFindings, ShadowReport } from './reverse-proxy/shadow-report';
export { Shadow, type ShadowObserver } from './reverse-proxy/shadow';
