import type { Connection, Engine } from '../engine/engine';
import { readMark } from './marks';
import { Turns } from './turns';

export interface LastBackup {
  /** When the backup began, in milliseconds since 1970 UTC: it contains everything written before. */
  readonly at: number;
  readonly file: string;
}

/** The service's own backups. */
export class Backups extends Turns {
  constructor(engine: Engine) {
    super(engine, 'backup');
  }

  /** Returns the last completed backup, by the service or by a command. */
  last(): Promise<LastBackup | undefined> {
    return lastBackup(this.engine.direct);
  }
}

export async function lastBackup({ kysely }: Pick<Connection, 'kysely'>): Promise<LastBackup | undefined> {
  const mark = await readMark(kysely, 'last backup');
  return mark && { at: mark.at, file: mark.detail };
}
