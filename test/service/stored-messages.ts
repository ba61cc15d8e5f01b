import { join } from 'node:path';

import { type Message, openStore } from '../../src/store';

/** What is to be delivered according to the database of a data folder. */
export async function storedMessages(dataFolder: string): Promise<readonly Message[]> {
  const store = await openStore({ url: `sqlite:${join(dataFolder, 'service.db')}` });
  try {
    return await store.messages.list({ limit: 1000 });
  } finally {
    await store.close();
  }
}
