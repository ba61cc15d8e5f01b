import cluster from 'node:cluster';

import type { Config } from '../config';
import type { ServiceLog } from '../telemetry';

/** Descriptors for all that is no caller's connection: the database, providers, the log, the operator's port. */
const OWN_DESCRIPTORS = 96;
/** The database takes more of them. */
const FEWEST_CONNECTIONS = 16;

/** Each caller may need one more, to the old server. */
const WITH_OLD_SERVER = 2;

/** Lowers MAX_CONNECTIONS to what the system lets this process open, and says so. */
export function withinDescriptors(config: Config, log: ServiceLog): Config {
  const descriptors = mostDescriptors();
  const left = descriptors - OWN_DESCRIPTORS - config.DATABASE_POOL_SIZE;
  const each = config.OLD_URL === undefined ? 1 : WITH_OLD_SERVER;
  const room = Math.max(FEWEST_CONNECTIONS, Math.floor(left / each));
  if (room >= config.MAX_CONNECTIONS) return config;
  if (!cluster.isWorker) {
    log.logger.warn(
      { descriptors, connections: room },
      'this process may open too few files for MAX_CONNECTIONS, so there will be fewer connections; raise the limit (ulimit -n)',
    );
  }
  return { ...config, MAX_CONNECTIONS: room };
}

/** Infinity where there is no limit, or none that is known. */
function mostDescriptors(): number {
  // What the typings call an object is the report; not every system has such limits.
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const limit = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Infinity : limit;
}
