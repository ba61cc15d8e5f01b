import type { Command } from 'commander';

import { SETTINGS } from '../config';
import { OperatorError } from '../support/errors';
import { moveDatabase, type MovedTable, undoMoveOf } from '../store';
import { numberText, textTable } from '../support/text';
import { commandOf, countedProgress, type Host, ProgressDisplay, storeOptions } from './run-command';

interface MoveCommandOptions {
  readonly to?: string;
  readonly undo?: boolean;
}

/** `school-notifications move --to URL | --undo` */
export function move(host: Host): Command {
  return commandOf('move', host)
    .description(
      'Copies everything that the database of DATABASE_URL holds into an empty one, SQLite or PostgreSQL, and compares ' +
        'the two. The service must not be running; afterwards DATABASE_URL is to name the new one.',
    )
    .option('--to <url>', 'the new database: sqlite:PATH or postgres://USER@HOST:PORT/DATABASE')
    .option('--undo', 'lets the old database be used again; the new one stays as it is')
    .action(async ({ to, undo = false }: MoveCommandOptions) => {
      if ((to !== undefined) === undo) throw new OperatorError('Name one of --to and --undo.');
      const { url } = storeOptions(host);
      if (to === undefined) await undoMove(url, host);
      else await moveTo(to, url, host);
    });
}

async function moveTo(to: string, url: string, host: Host): Promise<void> {
  const { kind } = SETTINGS.DATABASE_URL;
  if (!kind.schema.safeParse(to).success || [to, url].includes('sqlite::memory:')) {
    throw new OperatorError(
      `Only a database that lasts is moved, and to one: ${kind.allowed.replaceAll('`', '')}.`,
    );
  }
  const display = new ProgressDisplay(host.stdout);
  try {
    const tables = await moveDatabase(url, to, (table, done, of) => {
      display.show(countedProgress('rows copied and compared', table, done, of));
    });
    display.end();
    host.stdout.write(summary(tables));
  } finally {
    display.end();
  }
}

async function undoMove(url: string, host: Host): Promise<void> {
  const was = await undoMoveOf(url);
  host.stdout.write(
    was
      ? 'The database can be used again. What was written to the other one since is not in it; let nobody use both.\n'
      : 'The database was not moved: there is nothing to undo.\n',
  );
}

function summary(tables: readonly MovedTable[]): string {
  const rows = tables.map(({ table, rows: count, checksum }) => [table, numberText(count), checksum]);
  return `${textTable(['table', 'rows', 'checksum'], rows, 1)}
All tables are the same in both. Let DATABASE_URL name the new database now; the old one is used no more.
`;
}
