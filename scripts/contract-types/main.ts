import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';
import { format, resolveConfig } from 'prettier';

import { PACKAGE_ROOT, runCommand } from '../harness';
import { MODULES, moduleText } from './modules';

const command = new Command('contract-types')
  .description(
    `Writes the TypeScript types of operations from service descriptions: ${MODULES.map(({ path }) => path).join(', ')}.`,
  )
  .action(writeModules);

async function writeModules(): Promise<void> {
  for (const module of MODULES) {
    const file = join(PACKAGE_ROOT, module.path);
    const options = { ...(await resolveConfig(file)), filepath: file };
    writeFileSync(file, await format(await moduleText(module), options));
  }
}

runCommand(command);
