import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { SOAP_VERSIONS } from '../client';
import { compile } from '../clients/dotnet';
import { PROGRAMS as CALLS } from '../clients/mono';
import { runCommand } from '../run-command';
import { readChecks } from './check-lines';
import { PROGRAMS } from './programs';
import type { TypesCaller } from './type-check';

/** System.ServiceModel with XmlSerializer, whose proxy does not depend on where the service is. */
export const dotnetTypes: TypesCaller = {
  prepare: async (_address, folder) => {
    cpSync(join(PROGRAMS, 'dotnet'), folder, { recursive: true });
    cpSync(join(PROGRAMS, 'TypesChecks.cs'), join(folder, 'TypesChecks.cs'));
    cpSync(join(CALLS, 'dotnet', 'calls', 'Bindings.cs'), join(folder, 'Bindings.cs'));
    await compile(folder);
  },
  check: async (address, binding, folder) =>
    readChecks(
      await runCommand('dotnet', [join('out', 'Types.dll'), address, SOAP_VERSIONS[binding]], { folder }),
    ),
};
