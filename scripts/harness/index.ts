/**
 * Holds what surrounds a service that is tried from outside: requests and responses as bytes, the compiled service as
 * a process, a PostgreSQL of the run's own. It lives under `scripts` because the benches need it without the test
 * runner; the tests import it from here, and nothing here imports them. Every test loads this file, so what is
 * costly to load has doors of its own: `delivery` and `load`.
 */
export { PACKAGE_ROOT } from '../../src/support/package-root';
export { CLOSED_PORT, endServer, freePort, listen, portOf } from './ports';
export { type PostgresCluster, startPostgresCluster } from './postgres-cluster';
export { type LoopDelay, readLoopDelay, type Usage, usageOf } from './process-usage';
export { conditions, endAfter, runCommand, wholeNumber } from './program';
export { callAtOnce, exchange, RawClient, RawConnection, withConnection } from './raw-http';
export { chunked, formatRequest, type Header, headOf, type RawRequest, withHeaders } from './raw-request';
export { type RawResponse, ResponseReader } from './raw-response';
export { nextRsaKey } from './rsa-keys';
export { atExit, makeRunFolder } from './run-folder';
export {
  childEnvironment,
  type LogLine,
  matchesLine,
  PROGRAM,
  reloadsIn,
  ServerProcess,
  type ServiceOptions,
  ServiceProcess,
} from './server-process';
export {
  BINDING_TITLES,
  call,
  envelope,
  envelope11,
  envelope12,
  form,
  get,
  NAMESPACE,
  request,
  soap11,
  soap12,
  SOAP_11,
  SOAP_12,
  SOAP_XML,
  TEXT_XML,
  token11,
  token12,
  tokenMessage11,
  tokenMessage12,
} from './soap-requests';
export { markdownTable, median } from './table';
export { CSV_HEADERS, type SchoolRows, writeCsv, writeSchool } from './write-csv';
export { ENDPOINT_NAMES, readDescription } from './wsdl-files';
