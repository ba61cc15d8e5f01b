import { join } from 'node:path';

import { ENDPOINT_NAMES } from '../../../scripts/harness';
import { type Client, SOAP_VERSIONS, type SoapBinding } from '../client';
import type { Fault } from '../outcome';
import { versionOf } from '../versions';
import { PROGRAMS } from './mono';
import { ProgramCaller } from './program-caller';

/** The prefix is the one of the answer's envelope. */
const CODES: Readonly<Record<SoapBinding, string>> = { soap11: 'soap:Client', soap12: 'soap:Sender' };

/** Debian's, which has Debian's packages; another Python may come first on the PATH. */
export const PYTHON = '/usr/bin/python3';

/** PHP's own client, which reads the description at run time. */
export const php = interpreted({
  name: 'PHP SoapClient',
  stack: {
    name: '`SoapClient`',
    title: async () => `\`SoapClient\`, PHP ${await versionOf('php', '--version')}`,
  },
  interpreter: 'php',
  program: 'calls.php',
  module: { name: 'php-soap', args: ['-r', 'exit(extension_loaded("soap") ? 0 : 1);'] },
  fault: 'SoapFault',
});

/** The client that most Python programs have, which reads the description at run time, too. */
export const zeep = interpreted({
  name: 'zeep (Python)',
  stack: {
    name: 'zeep',
    title: async () => {
      const version = await versionOf(PYTHON, '-c', 'import zeep; print(zeep.__version__)');
      return `zeep ${version}, Python ${await versionOf(PYTHON, '--version')}`;
    },
  },
  interpreter: PYTHON,
  program: 'calls.py',
  module: { name: 'python3-zeep', args: ['-c', 'import zeep'] },
  fault: 'zeep.exceptions.Fault',
});

interface Interpreted extends Pick<Client, 'name'> {
  readonly stack: NonNullable<Client['stack']>;
  readonly interpreter: string;
  readonly program: string;
  /** Holds what must be installed beside the interpreter, and what ends well where it is. */
  readonly module: { readonly name: string; readonly args: readonly string[] };
  /** Name of its exception. */
  readonly fault: Fault['type'];
}

function interpreted({ name, stack, interpreter, program, module, fault }: Interpreted): Client {
  const bindings: readonly SoapBinding[] = ['soap11', 'soap12'];
  return {
    name,
    stack,
    tools: [interpreter],
    modules: [{ name: module.name, command: [interpreter, ...module.args] }],
    bindings: bindings.map((binding) => ({
      name: binding,
      leavesOut: true,
      fault: (text) => ({ kind: 'fault', type: fault, code: CODES[binding], text, detail: '' }),
      open: (address, _folder, environment, descriptions = address) => {
        const documents = ENDPOINT_NAMES.map((endpoint) => `${descriptions}/${endpoint}.asmx?WSDL`);
        const args = [join(PROGRAMS, program), address, SOAP_VERSIONS[binding], ...documents];
        return Promise.resolve(new ProgramCaller(interpreter, args, environment));
      },
    })),
  };
}
