export { CutOver, type KnownOperation } from './cut-over';
export { type DoorCall, DoorReport } from './door-report';
export {
  readFindings,
  Shadow,
  type ShadowFindings,
  type ShadowObserver,
  type ShadowOptions,
  ShadowReport,
} from './shadow';
export { type DoorObserver, FrontDoor, type FrontDoorOptions } from './front-door';
