export { TRAFFIC_KINDS, type TrafficKind } from './kinds';
export { writeLine } from './own-lines';
export type { Passed } from './reader';
export { type PassedOver, readTraffic, type Recorded, type TrafficOptions } from './traffic';
