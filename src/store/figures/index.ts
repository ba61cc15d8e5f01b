export { type CallerRecord, Callers } from './callers';
export type { CallerCount, Counted } from './counted';
export { Figures, type FigureSpan } from './figures';
export { type NodeFacts, type NodeRecord, Nodes } from './nodes';
export type { FigurePoint } from './points';
export { SENT_BOUNDS } from './spread';
