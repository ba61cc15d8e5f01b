import { Command } from 'commander';

import { onStore, runCommand, warnOfLoose } from './run-command';
import { exportSummary } from './tables';

/** `npm run export -- FOLDER` */
const command = new Command('export')
  .description('Writes the data as the CSV files that an import reads. The service may be running meanwhile.')
  .argument('<folder>', 'folder for the files; it is made, and files of these names are replaced')
  .action(async (folder: string) => {
    const report = await onStore((store) => store.exportFolder(folder));
    warnOfLoose([folder]);
    process.stdout.write(`${exportSummary(report)}\n`);
  });

void runCommand(command);
