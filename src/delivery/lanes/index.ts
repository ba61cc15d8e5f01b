export { DeliveryLog } from './delivery-log';
export { DeliveryMetrics } from './delivery-metrics';
export { type Deliver, Lane, type LaneOptions, LostLease } from './lane';
export { RequestEnds } from './request-ends';
export { LANE_RULES } from './retry';
