import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';

import { PACKAGE_ROOT, runCommand } from '../harness';
import { packageWindows } from './package-windows';

const command = new Command('package:windows')
  .description(
    'Writes the ZIP archive for Windows: the program, its packages, Node.js for Windows, and templates.',
  )
  .option('--to <folder>', 'folder of the archive', join(PACKAGE_ROOT, 'build'))
  .action(async ({ to }: { readonly to: string }) => {
    mkdirSync(to, { recursive: true });
    console.log(await packageWindows(to));
  });

runCommand(command);
