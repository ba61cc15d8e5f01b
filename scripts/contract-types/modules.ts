import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { contractTypes, loadDescription, readContract } from '../../src/asmx';
import { ENDPOINT_NAMES, PACKAGE_ROOT } from '../harness';

/** A module of types that is written from service descriptions. */
export interface TypesModule {
  /** Where it is, from the root. */
  readonly path: string;
  readonly descriptions: readonly string[];
  /** Names the module from which it imports the protocol. */
  readonly library: string;
}

export const MODULES: readonly TypesModule[] = [
  {
    path: 'src/operations/contract-types.ts',
    descriptions: ENDPOINT_NAMES.map((name) => `wsdl/${name}.wsdl`),
    library: '../asmx',
  },
  {
    path: 'test/reference/types-contract.ts',
    descriptions: ['test/reference/Types.wsdl'],
    library: '../../src/asmx',
  },
];

/** The text of such a module, not yet laid out as all others are. */
export async function moduleText({ descriptions, library }: TypesModule): Promise<string> {
  const contracts = await Promise.all(
    descriptions.map(async (description) =>
      readContract(await loadDescription(readFileSync(join(PACKAGE_ROOT, description), 'utf8'))),
    ),
  );
  const note =
    '// Written by `npm run contract-types` from service descriptions: what is changed here is lost.\n\n';
  return note + contractTypes(contracts, library);
}
