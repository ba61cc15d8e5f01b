import type { Command } from 'commander';

import { createCommand, countedProgress, type Host, storeOptions, withProgress } from '../../cli/run-command';
import { SETTINGS } from '../../config';
import { internalRows, SCHOOL_TABLES } from '../../store';
import { OperatorError } from '../../support/errors';
import { numberText, textTable } from '../../support/text';
import { moveDatabase, type MovedTable, undoMoveOf } from './move';

interface MoveCommandOptions {
  readonly to?: string;
  readonly undo?: boolean;
}

/** `school-notifications move --to URL | --undo` */
export function move(host: Host): Command {
  return createCommand('move', host)
    .description(
      'Copies the database of DATABASE_URL to an empty one, SQLite or PostgreSQL, and compares the two. Stop the ' +
        'service first; afterwards set DATABASE_URL to the new database.',
    )
    .option('--to <url>', 'the new database: sqlite:PATH or postgres://USER@HOST:PORT/DATABASE')
    .option('--undo', 'make the old database usable again; the new one is not changed')
    .action(async ({ to, undo = false }: MoveCommandOptions) => {
      if ((to !== undefined) === undo) throw new OperatorError('Give either --to or --undo.');
      const { url } = storeOptions(host);
      if (to === undefined) await undoMove(url, host);
      else await moveTo(to, url, host);
    });
}

async function moveTo(to: string, url: string, host: Host): Promise<void> {
  const { kind } = SETTINGS.DATABASE_URL;
  if (!kind.schema.safeParse(to).success || [to, url].includes('sqlite::memory:')) {
    throw new OperatorError(
      `A database in memory cannot be moved. Expected for --to: ${kind.allowed.replaceAll('`', '')}.`,
    );
  }
  const tables = await withProgress(host, (show) =>
    moveDatabase(url, to, (table, done, of) =>
      show(countedProgress('rows copied and compared', table, done, of)),
    ),
  );
  host.stdout.write(summary(tables));
}

async function undoMove(url: string, host: Host): Promise<void> {
  const was = await undoMoveOf(url);
  host.stdout.write(
    was
      ? 'The database can be used again. It lacks everything written to the other one since; do not use both.\n'
      : 'The database was not moved; nothing to undo.\n',
  );
}

function summary(tables: readonly MovedTable[]): string {
  const rows = tables
    .filter(({ table }) => SCHOOL_TABLES.includes(table))
    .map(({ table, rows: count, checksum }) => [table, numberText(count), checksum]);
  const all = [...rows, ['internal', numberText(internalRows(tables)), '']];
  return `${textTable(['table', 'rows', 'checksum'], all, 1)}
Verified: all tables are equal. Set DATABASE_URL to the new database; the old database is now retired.
`;
}
