import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import type { Report } from '../../interop/report';
import { runCommand } from '../../interop/run-command';
import { Trial } from '../trial';

const FILE = 'compose.yaml';

/** Two nodes, PostgreSQL and nginx: whether Docker Compose takes the file; a test of its own reads what is in it. */
export async function tryCompose(_: unknown, report: Report): Promise<void> {
  const trial = new Trial(report, FILE);
  if (trial.lacks('has nothing wrong in it (docker-compose config)', 'docker-compose')) return;
  await trial.check('has nothing wrong in it (docker-compose config)', () =>
    runCommand('docker-compose', ['--file', join(PACKAGE_ROOT, 'packaging', FILE), 'config', '--quiet'], {
      folder: '/',
    }),
  );
}
