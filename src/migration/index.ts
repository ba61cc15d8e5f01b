export type { Header, HttpAnswer, HttpRequest } from './messages';
export {
  type PassedOver,
  readTraffic,
  type Recorded,
  TRAFFIC_KINDS,
  type TrafficKind,
  writeLine,
} from './traffic';
export { Sends } from './calls';
export {
  CannotCompare,
  compareServers,
  type Comparison,
  type Plan,
  sampleValues,
  type SideOptions,
} from './comparing';
export { compareAnswers, fails, type Verdict } from './verdict';
export {
  type Finding,
  type Findings,
  htmlReport,
  jsonReport,
  junitReport,
  type Report,
  textReport,
} from './report';
export {
  CutOver,
  type DoorCall,
  DoorReport,
  FrontDoor,
  type FrontDoorOptions,
  Recorder,
  type RecorderOptions,
  readFindings,
  Shadow,
  type ShadowObserver,
  ShadowReport,
} from './front-door';
