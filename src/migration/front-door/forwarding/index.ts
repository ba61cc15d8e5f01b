export { addressChange } from './addresses';
export { hasBody, keepBody, mayBeKept, messageOf, MOST_KEPT_BYTES, readStart, sayContinue } from './body';
export { forward, type ForwardEnd, type ForwardOutcome, type Watcher } from './forwarded';
export { OldServer, type OldServerOptions } from './old-server';
