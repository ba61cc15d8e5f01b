import { Command } from 'commander';

import { openStore } from '../store';
import { runCommand, storeOptions } from './run-command';
import { textTable } from './text-table';

/** `npm run export -- FOLDER` */
const command = new Command('export')
  .description('Writes the data as the CSV files that an import reads. The service may be running meanwhile.')
  .argument('<folder>', 'folder for the files; it is made, and files of these names are replaced')
  .action(async (folder: string) => {
    const store = await openStore({ ...storeOptions(), mustExist: true });
    try {
      const { files } = await store.exportFolder(folder);
      const rows = files.map(({ file, rows }) => [file, 'written', rows.toLocaleString('en')]);
      process.stdout.write(`${textTable(['file', 'outcome', 'rows'], rows)}\n`);
    } finally {
      await store.close();
    }
  });

void runCommand(command);
