/**
 * What stands around a service that is tried from outside: requests and responses as bytes, the compiled service as
 * a process, a PostgreSQL of the run's own. It lives under `scripts` because the benches need it without the test
 * runner; the tests import it from here, and nothing here imports them. Every test loads this file, so what is
 * costly to load has doors of its own: `delivery` and `load`.
 */
export { type Answer, AnswerReader } from './answer-reader';
export { runCommand, wholeNumber } from './command-line';
export { conditions } from './conditions';
export { median } from './median';
export { type PostgresCluster, startPostgresCluster } from './postgres-cluster';
export { usageOf } from './process-usage';
export { exchange, RawConnection } from './raw-http';
export { chunked, formatRequest, type RawRequest } from './raw-http-request';
export { parseResponse, RawResponse } from './raw-http-response';
export { makeRunFolder } from './run-folder';
export { type LogLine, type ServiceOptions, ServiceProcess } from './service-process';
export {
  call,
  envelope,
  envelope11,
  envelope12,
  form,
  get,
  NAMESPACE,
  soap11,
  soap12,
  SOAP_11,
  SOAP_12,
  SOAP_XML,
  TEXT_XML,
  token11,
  token12,
} from './soap-requests';
export { TargetProcess } from './target-process';
export { ENDPOINT_NAMES, packageRoot, readDescription } from './wsdl-files';
