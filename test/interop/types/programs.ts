import { join } from 'node:path';

import { packageRoot } from '../../../scripts/harness';

/** Sources of the programs that send values of all types. */
export const PROGRAMS = join(packageRoot(), 'test', 'interop', 'types', 'programs');
