export { inTime } from './in-time';
export { MinuteFigures } from './minute-figures';
export { type Node, readNodeFacts } from './node-facts';
export { nodeName, NodePulse, PULSE_MS } from './node-pulse';
