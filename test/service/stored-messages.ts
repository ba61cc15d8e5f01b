import { join } from 'node:path';

import { type StatsPoint, openStore } from '../../src/store';
import { listMessages, type Message } from '../harness/list-messages';

/** The database that a service with this data folder has by default. */
export function databaseIn(dataFolder: string): string {
  return `sqlite:${join(dataFolder, 'service.db')}`;
}

/** Returns the waiting and the delivered messages of a database. */
export async function storedMessages(url: string): Promise<readonly Message[]> {
  const store = await openStore({ url, mustExist: true });
  try {
    return await listMessages(store, 1000);
  } finally {
    await store.close();
  }
}

/** Returns what was counted in the last day, according to a database. */
export async function storedStats(url: string): Promise<readonly StatsPoint[]> {
  const store = await openStore({ url, mustExist: true });
  try {
    const now = Date.now();
    return await store.stats.read({ from: now - 86_400_000, to: now, stepMs: 3_600_000 });
  } finally {
    await store.close();
  }
}
