import { setTimeout as delay } from 'node:timers/promises';

import type { ClientBase } from 'pg';

import { StoreError } from '../engine';
import { postgresError } from './postgres-error';

/** Names the lock that every connection of this program shares, and that whoever wants to be alone has to itself. */
const LOCK = `hashtextextended('student_notification_presence', 0)`;
/** Connections of programs that have just ended go away by themselves. */
const PATIENCE_MS = 3000;
const PAUSE_MS = 100;

/** Says on a new connection that this program uses the database. @throws StoreError where somebody is alone on it */
export async function enter(client: ClientBase): Promise<void> {
  if (await took(client, 'pg_try_advisory_lock_shared')) return;
  throw new StoreError('locked', 'The database is just being moved: try again when that is done.');
}

/** Waits until no other connection of this program is there, and keeps new ones out until this one ends. */
export async function enterAlone(client: ClientBase): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await took(client, 'pg_try_advisory_lock'))) {
    if (performance.now() >= deadline) {
      throw new StoreError('locked', 'A service or another command uses the database: stop it first.');
    }
    await delay(PAUSE_MS);
  }
}

async function took(client: ClientBase, way: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ readonly taken: boolean }>(`select ${way}(${LOCK}) as taken`);
    return rows[0]?.taken === true;
  } catch (error) {
    throw postgresError(error);
  }
}
