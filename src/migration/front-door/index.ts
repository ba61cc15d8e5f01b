export { CutOver, type KnownOperation } from './cut-over';
export { type DoorCall, DoorReport } from './door-report';
export { Recorder, type RecorderOptions, type RecordOutcome } from './recording';
export {
  readFindings,
  Shadow,
  type ShadowFindings,
  type ShadowObserver,
  type ShadowOptions,
  ShadowReport,
} from './shadow';
export type { DoorObserver, FrontDoorOptions } from './door-options';
export { FrontDoor } from './front-door';
