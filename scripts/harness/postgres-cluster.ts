import { createRequire } from 'node:module';
import { join } from 'node:path';

import { packageRoot } from './wsdl-files';

/** A PostgreSQL of the run's own, with one empty database. */
export interface PostgresCluster {
  readonly url: string;
  readonly pid: number;
  /** Ends the server and deletes all that it held. */
  readonly stop: () => void;
}

/** What scripts/harness/postgres-cluster.cjs gives. */
interface ClusterModule {
  readonly startCluster: (options: { readonly durable: boolean }) => Promise<PostgresCluster | undefined>;
}

/** Starts a server that waits for the disk as servers do. Resolves to undefined where none is installed. */
export function startPostgresCluster(): Promise<PostgresCluster | undefined> {
  // Not compiled, so it is not where a relative import would look for it; it has no types either.
  const path = join(packageRoot(), 'scripts', 'harness', 'postgres-cluster.cjs');
  const { startCluster } = createRequire(__filename)(path) as ClusterModule;
  return startCluster({ durable: true });
}
