export { openTls, tlsFailure } from './server-tls';
