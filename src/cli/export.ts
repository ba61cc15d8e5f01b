import type { Command } from 'commander';

import { commandOf, type Host, onStore, warnOfLoose } from './run-command';
import { exportSummary } from './tables';

/** `school-notifications export FOLDER` */
export function exportData(host: Host): Command {
  return commandOf('export', host)
    .description(
      'Writes the data as the CSV files that an import reads. The service may be running meanwhile.',
    )
    .argument('<folder>', 'folder for the files; it is made, and files of these names are replaced')
    .action(async (folder: string) => {
      const report = await onStore(host, (store) => store.exportFolder(folder));
      warnOfLoose([folder], host);
      host.stdout.write(`${exportSummary(report)}\n`);
    });
}
