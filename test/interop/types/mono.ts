import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { compileCSharp } from '../clients/mono';
import type { SoapBinding } from '../client';
import { runCommand } from '../run-command';
import { readChecks } from './check-lines';
import { PROGRAMS } from './programs';
import type { TypesCaller } from './type-check';

/** Lists values of wsdl's option /protocol, each with a folder of its own: each protocol has proxies of its own. */
const PROTOCOLS: Readonly<Record<SoapBinding, string>> = { soap11: 'SOAP', soap12: 'SOAP12' };
const PROGRAM = 'types.exe';
const REFERENCES = ['System.Web.Services', 'System.Xml', 'System.Core'];

/** The proxies of .NET's `wsdl.exe`. */
export const monoTypes: TypesCaller = {
  prepare: async (address, parent) => {
    for (const protocol of Object.values(PROTOCOLS)) {
      const folder = join(parent, protocol);
      mkdirSync(folder);
      const args = [`/protocol:${protocol}`, '/namespace:Proxies', '/out:Types.cs', `${address}?WSDL`];
      await runCommand('wsdl', args, { folder });
      const sources = ['TypesChecks.cs', 'MonoTypes.cs'].map((file) => join(PROGRAMS, file));
      await compileCSharp(folder, PROGRAM, ['Types.cs', ...sources], REFERENCES);
    }
  },
  check: async (address, binding, folder) =>
    readChecks(await runCommand('mono', [join(folder, PROTOCOLS[binding], PROGRAM), address], { folder })),
};
