export { CutOver, type KnownOperation } from './cut-over';
export { type DoorCall, DoorReport } from './door-report';
export { type DoorObserver, FrontDoor, type FrontDoorOptions } from './front-door';
