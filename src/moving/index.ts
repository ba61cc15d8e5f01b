export type { Header, HttpAnswer, HttpRequest } from './messages';
export {
  type PassedOver,
  readTraffic,
  type Recorded,
  TRAFFIC_KINDS,
  type TrafficKind,
  type TrafficOptions,
  writeLine,
} from './traffic';
export { type EndpointOperations, Sends } from './calls';
export {
  CannotCompare,
  compareServers,
  type Comparison,
  type ComparisonOptions,
  type Plan,
  sampleValues,
  type SideOptions,
} from './comparing';
export {
  compareAnswers,
  type CompareOptions,
  type Difference,
  failedConnection,
  fails,
  type Level,
  type Verdict,
  withoutNoise,
} from './verdict';
export {
  type Finding,
  type Findings,
  FindingsTotal,
  htmlReport,
  jsonReport,
  junitReport,
  type Report,
  textReport,
} from './report';
export { compareDescriptions } from './descriptions';
export {
  CutOver,
  type DoorCall,
  type DoorObserver,
  DoorReport,
  FrontDoor,
  type FrontDoorOptions,
  type KnownOperation,
  Recorder,
  type RecorderOptions,
  type RecordOutcome,
  readFindings,
  Shadow,
  type ShadowFindings,
  type ShadowObserver,
  type ShadowOptions,
  ShadowReport,
} from './front-door';
