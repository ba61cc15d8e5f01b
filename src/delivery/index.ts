export { createDelivery, type Delivery } from './create-delivery';
export { deliveryFindings } from './delivery-findings';
