export { createDelivery, type Delivery } from './create-delivery';
