import type { Command } from 'commander';

import { restoreDatabase, type RestoreReport } from '../store';
import { numberText } from '../support/text';
import { rowsByTable } from './backup';
import { commandOf, countedProgress, type Host, ProgressDisplay, storeOptions } from './run-command';

interface RestoreCommandOptions {
  readonly replace?: boolean;
}

/** `school-notifications restore FILE [--replace]` */
export function restore(host: Host): Command {
  return commandOf('restore', host)
    .description(
      'Makes a backup the database of DATABASE_URL (SQLite), after it has checked it. The service must not be running.',
    )
    .argument('<file>', 'the backup; it stays as it is')
    .option('--replace', 'where the database holds something: keep it under another name, beside the new one')
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
    `Restored from ${file}; it is sound, with as many rows as the backup.`,
    ...(upgradedFrom === undefined ? [] : [`Its schema was ${upgradedFrom}, and is this program’s now.`]),
    ...(setAside === undefined ? [] : [`The database that was there is ${setAside} now.`]),
    ...(queued === 0
      ? []
      : [
          `${numberText(queued)} messages wait in it: they are sent when the service starts, some perhaps a second ` +
            'time, unless their time is over. deliveries cancel takes out what is not to go.',
        ]),
  ];
}
