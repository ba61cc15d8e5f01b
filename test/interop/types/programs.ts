import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';

/** Sources of the programs that send values of all types. */
export const PROGRAMS = join(PACKAGE_ROOT, 'test', 'interop', 'types', 'programs');
