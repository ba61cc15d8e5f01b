import type { Command } from 'commander';

import { restoreDatabase, type RestoreReport } from '../store';
import { counted } from '../support/text';
import { rowsByTable } from './backup';
import { createCommand, countedProgress, type Host, ProgressDisplay, storeOptions } from './run-command';

interface RestoreCommandOptions {
  readonly replace?: boolean;
}

/** `school-notifications restore FILE [--replace]` */
export function restore(host: Host): Command {
  return createCommand('restore', host)
    .description(
      'Verifies a backup and makes it the database of DATABASE_URL (SQLite). Stop the service first.',
    )
    .argument('<file>', 'backup file; it is not changed')
    .option('--replace', 'if the database has data: keep it under another name beside the new one')
    .action(async (file: string, { replace = false }: RestoreCommandOptions) => {
      const display = new ProgressDisplay(host.stdout);
      try {
        const onPages = (done: number, of: number) => {
          display.show(countedProgress('pages', 'copied', done, of));
        };
        const report = await restoreDatabase(storeOptions(host).url, { file, replace, onPages });
        display.end();
        host.stdout.write(`${summary(report, file).join('\n')}\n`);
      } finally {
        display.end();
      }
    });
}

function summary({ tables, upgradedFrom, queued, setAside }: RestoreReport, file: string): readonly string[] {
  return [
    rowsByTable(tables),
    `Restored from ${file}. Verified: same row counts as the backup.`,
    ...(upgradedFrom === undefined ? [] : [`The schema was upgraded from ${upgradedFrom}.`]),
    ...(setAside === undefined ? [] : [`The previous database was kept as ${setAside}.`]),
    ...(queued === 0
      ? []
      : [
          `The backup contains ${counted(queued, 'waiting message')}. Unless expired, they are sent when the service ` +
            'starts, possibly for the second time. To prevent this, use deliveries cancel before you start it.',
        ]),
  ];
}
