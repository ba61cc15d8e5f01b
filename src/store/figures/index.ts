export { type CallerRecord, Callers } from './callers';
export type { CallerCount, Counted } from './counted';
export { Figures, type FigureSpan } from './figures';
export { type NodeFacts, type NodeRecord, Nodes, PULSE_MS, SILENT_MS } from './nodes';
export type { FigurePoint } from './points';
export { SENT_BOUNDS } from './spread';
