import { realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { ENDPOINT_NAMES } from '../../../scripts/harness';
import { type Client, type ClientBinding, SOAP_VERSIONS, type SoapBinding } from '../client';
import { findCommand, runCommand } from '../run-command';
import { versionOf } from '../versions';
import { PROGRAMS } from './mono';
import { ProgramCaller } from './program-caller';
import { CALLER_FAULT } from './soap-fault-code';

const NAME = '`wsimport` proxies (JAX-WS)';

/** JAX-WS, the reference implementation, with the proxies of `wsimport`. */
export const wsimport: Client = {
  name: 'wsimport (JAX-WS RI)',
  stack: {
    name: NAME,
    title: async () =>
      `${NAME}, RI ${await versionOf('wsimport', '-version')}, Java ${await versionOf('java', '--version')}`,
  },
  tools: ['wsimport', 'javac', 'java', 'keytool'],
  hasCredentials: true,
  prepare: async (address, folder) => {
    await Promise.all(
      ENDPOINT_NAMES.map(async (endpoint) => {
        // Without -extension it leaves out the SOAP 1.2 port, whose transport is the one that ASMX names.
        // A package of its own for each: the generated ObjectFactory always has the same name.
        const options = ['-quiet', '-extension', '-p', `proxies.${endpoint.toLowerCase()}`, '-d', folder];
        await runCommand('wsimport', [...options, `${address}/${endpoint}.asmx?WSDL`], { folder });
      }),
    );
    const program = join(PROGRAMS, 'WsimportProxies.java');
    await runCommand('javac', ['-cp', classPath(folder), '-d', folder, program], { folder });
  },
  bindings: [soap('soap11'), soap('soap12')],
};

function soap(name: SoapBinding): ClientBinding {
  return {
    name,
    leavesOut: true,
    fault: (text) => ({
      kind: 'fault',
      type: 'javax.xml.ws.soap.SOAPFaultException',
      code: CALLER_FAULT[name],
      text,
      detail: name === 'soap11' ? '' : null, // An empty one of SOAP 1.2 is none.
    }),
    open: (address, folder, environment, descriptions = address) =>
      Promise.resolve(
        new ProgramCaller(
          'java',
          ['-cp', classPath(folder), 'WsimportProxies', address, SOAP_VERSIONS[name], descriptions],
          environment,
        ),
      ),
  };
}

/** Returns what was compiled, and the libraries that lie beside wsimport: they left the JDK with version 11. */
export function classPath(folder: string): string {
  const command = findCommand('wsimport');
  if (command === undefined) throw new Error('No wsimport on the PATH');
  return [folder, join(dirname(realpathSync(command)), '..', 'lib', '*')].join(delimiter);
}
