export { type Call, type CallBinding, callOf } from './call-of';
export { type CallClass, type EndpointOperations, Sends } from './sends';
