export { authorizationProblem, openTls, tlsFailure, tlsFindings } from './server-tls';
