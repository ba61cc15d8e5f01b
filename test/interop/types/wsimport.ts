import { join } from 'node:path';

import { classPath } from '../clients/wsimport';
import { SOAP_VERSIONS } from '../client';
import { runCommand } from '../run-command';
import { readChecks } from './check-lines';
import { PROGRAMS } from './programs';
import type { TypesCaller } from './type-check';

/** The proxies of JAX-WS. */
export const wsimportTypes: TypesCaller = {
  prepare: async (address, folder) => {
    // ASMX's descriptions of lists over GET and POST build on a schema that they do not say where to find.
    const schema = ['-b', join(PROGRAMS, 'soap-encoding.xsd')];
    const options = ['-quiet', '-extension', ...schema, '-p', 'proxies.types', '-d', folder];
    await runCommand('wsimport', [...options, `${address}?WSDL`], { folder });
    const program = join(PROGRAMS, 'WsimportTypes.java');
    const compiler = ['-encoding', 'UTF-8', '-cp', classPath(folder), '-d', folder];
    await runCommand('javac', [...compiler, program], { folder });
  },
  check: async (address, binding, folder) =>
    readChecks(
      await runCommand('java', ['-cp', classPath(folder), 'WsimportTypes', address, SOAP_VERSIONS[binding]], {
        folder,
      }),
    ),
};
