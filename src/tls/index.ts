export { authorizationProblem, openTls, tlsFailure } from './server-tls';
