import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Client, type ClientBinding, SOAP_VERSIONS, type SoapBinding } from '../client';
import { runCommand } from '../run-command';
import { versionOf } from '../versions';
import { compileCSharp, generateForEndpoints, PROGRAMS } from './mono';
import { ProgramCaller } from './program-caller';
import { wcfFault } from './soap-fault-code';

const NAME = '`svcutil` proxies (WCF)';
const REFERENCES = ['System.ServiceModel', 'System.Runtime.Serialization', 'System.Xml'];
const PROGRAM = 'calls.exe';

/** Matches what Mono's svcutil writes otherwise than .NET's does, and what .NET's writes. */
const REPAIRS: readonly (readonly [RegExp, string])[] = [
  // It takes the action of the request for that of the answer.
  [/Action="\*", ReplyAction=("[^"]*")/g, 'Action=$1, ReplyAction="*"'],
  // For an operation without parameters and result it names wrapper classes that it does not write.
  [/(\w+)Response \1\(\1 \1\)/g, 'void $1()'],
  [/return base\.Channel\.(\w+)\(\1\)/g, 'base.Channel.$1()'],
];

/** WCF, with the proxies of .NET's `svcutil.exe`. */
export const monoSvcutil: Client = {
  name: 'Mono svcutil (WCF)',
  stack: {
    name: NAME,
    title: async () => `${NAME}, Mono ${await versionOf('mono', '--version')}`,
  },
  tools: ['svcutil', 'mcs', 'mono'],
  prepare: async (address, folder) => {
    const proxies = await generateForEndpoints(async (endpoint, file) => {
      await runCommand('svcutil', ['--noConfig', `--out:${file}`, `${address}/${endpoint}.asmx?WSDL`], {
        folder,
      });
      repair(join(folder, file));
    });
    const sources = ['CallLoop.cs', 'SvcutilProxies.cs'].map((file) => join(PROGRAMS, file));
    await compileCSharp(folder, PROGRAM, [...sources, ...proxies], REFERENCES);
  },
  bindings: [soap('soap11'), soap('soap12')],
};

function soap(name: SoapBinding): ClientBinding {
  return {
    name,
    leavesOut: false, // An argument that is null goes out as xsi:nil.
    fault: wcfFault(name),
    open: (address, folder) =>
      Promise.resolve(new ProgramCaller('mono', [join(folder, PROGRAM), address, SOAP_VERSIONS[name]])),
  };
}

function repair(file: string): void {
  const source = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    REPAIRS.reduce((text, [wrong, right]) => text.replace(wrong, right), source),
  );
}
