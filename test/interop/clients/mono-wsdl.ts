import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Binding } from '../../../src/asmx';
import type { Client, ClientBinding, SoapBinding } from '../client';
import type { Fault } from '../outcome';
import { runCommand } from '../run-command';
import { versionOf } from '../versions';
import { compileCSharp, generateForEndpoints, PROGRAMS } from './mono';
import { ProgramCaller } from './program-caller';
import { CALLER_FAULT } from './soap-fault-code';

interface Protocol {
  /** Is a value of wsdl's option /protocol. */
  readonly name: string;
  readonly binding: Binding;
  /** Compiler symbols. */
  readonly symbols: readonly string[];
}

const PROTOCOLS: readonly Protocol[] = [
  { name: 'SOAP', binding: 'soap11', symbols: [] },
  { name: 'SOAP12', binding: 'soap12', symbols: [] },
  { name: 'HttpGet', binding: 'get', symbols: ['FORM_PROTOCOL'] },
  { name: 'HttpPost', binding: 'post', symbols: ['FORM_PROTOCOL'] },
];

const NAME = '`wsdl` proxies (ASP.NET)';
const REFERENCES = ['System.Web.Services', 'System.EnterpriseServices', 'System.Xml'];
const PROGRAM = 'calls.exe';

/** The proxies of .NET's `wsdl.exe`, which most callers of an ASMX service are made of. */
export const monoWsdl: Client = {
  name: 'Mono wsdl',
  stack: {
    name: NAME,
    title: async () => `${NAME}, Mono ${await versionOf('mono', '--version')}`,
  },
  tools: ['wsdl', 'mcs', 'mono'],
  hasCredentials: true,
  prepare: async (address, folder) => {
    for (const protocol of PROTOCOLS) await generate(protocol, address, folder);
  },
  bindings: PROTOCOLS.map(({ name, binding }): ClientBinding => ({
    name: binding,
    leavesOut: binding === 'soap11' || binding === 'soap12',
    fault: (reason) => faultOf(binding, reason),
    open: (address, folder, environment) =>
      Promise.resolve(new ProgramCaller('mono', [join(folder, name, PROGRAM), address], environment)),
  })),
};

async function generate({ name, symbols }: Protocol, address: string, parent: string): Promise<void> {
  const folder = join(parent, name);
  mkdirSync(folder);
  const proxies = await generateForEndpoints(async (endpoint, file) => {
    const args = [
      `/protocol:${name}`,
      '/namespace:Proxies',
      `/out:${file}`,
      `${address}/${endpoint}.asmx?WSDL`,
    ];
    await runCommand('wsdl', args, { folder });
  });
  const sources = ['CallLoop.cs', 'WsdlProxies.cs'].map((file) => join(PROGRAMS, file));
  await compileCSharp(folder, PROGRAM, [...sources, ...proxies], REFERENCES, symbols);
}

function faultOf(binding: Binding, reason: string): Fault {
  if (binding === 'get' || binding === 'post') {
    return {
      kind: 'fault',
      type: 'System.Net.WebException',
      code: 'ProtocolError',
      text: `The request failed with the error message:\n--\n${reason}\r\n\n--.`,
      detail: null,
    };
  }
  return soapException(binding, reason);
}

function soapException(binding: SoapBinding, reason: string): Fault {
  return {
    kind: 'fault',
    type: 'System.Web.Services.Protocols.SoapException',
    code: CALLER_FAULT[binding],
    text: reason,
    detail: '',
  };
}
