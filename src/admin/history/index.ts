export { inTime } from './in-time';
export { MinuteFigures } from './minute-figures';
export { type Node, readNodeFacts } from './node-facts';
export { publishNodes } from './node-metrics';
export { nodeName, NodePulse } from './node-pulse';
