import { join } from 'node:path';

import { PYTHON } from '../clients/interpreted';
import { SOAP_VERSIONS } from '../client';
import { runCommand } from '../run-command';
import { readChecks } from './check-lines';
import { PROGRAMS } from './programs';
import type { TypesCaller } from './type-check';

/** zeep, which reads the description at run time. */
export const zeepTypes: TypesCaller = {
  check: async (address, binding, folder) =>
    readChecks(
      await runCommand(PYTHON, [join(PROGRAMS, 'zeep_types.py'), address, SOAP_VERSIONS[binding]], {
        folder,
      }),
    ),
};
