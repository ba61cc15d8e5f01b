import { join } from 'node:path';

import { sql } from 'kysely';

import { backUpDatabase } from '../../../src/features/backups/back-up';
import { openStore } from '../../../src/store';
import { openEngine } from '../../../src/store/open-engine';
import { useDatabase } from '../../harness/test-databases';

const BACKUPS = Number(process.env['BACKUP_COUNT'] ?? 3);
/** Messages there are at first, so that copying takes more than a moment. */
const MESSAGES = 3000;
const WRITERS = 4;

describe('backups while the service writes', () => {
  const database = useDatabase('sqlite');

  it(
    `are intact, each of ${String(BACKUPS)}, and contain every write acknowledged before`,
    async () => {
      const store = await database.open();
      const message = (at: number) => ({
        ...{ channel: 'mark' as const, recipient: String(at), school: 'https://a.example' },
        ...{ payload: { note: 'N'.repeat(500) }, createdAt: 1, expiresAt: 2, dedupeKey: null },
      });
      await store.write(({ messages }) =>
        messages.enqueueAll(Array.from({ length: MESSAGES }, (_, at) => message(at))),
      );
      const acknowledged = new Set<string>();
      let isOver = false;
      let onWritten = (): void => undefined;
      const nextWrite = () => new Promise<void>((resolve) => (onWritten = resolve));
      const write = async (): Promise<void> => {
        while (!isOver) {
          acknowledged.add(await store.writeShort(({ messages }) => messages.enqueue(message(0))));
          onWritten();
        }
      };
      const writers = Array.from({ length: WRITERS }, () => write());
      let last = 0;
      try {
        for (let count = 0; count < BACKUPS; count++) {
          await Promise.race([nextWrite(), ...writers]);
          const before = [...acknowledged];
          const file = join(database.folder, 'kept.db');
          const { tables } = await backUpDatabase(database.url, {
            file,
            replace: true,
            onPages: () => undefined,
          });
          const copied = await idsIn(file);
          expect(before.filter((id) => !copied.has(id))).toEqual([]);
          expect(tables).toContainEqual({ table: 'messages', rows: copied.size });
          expect(copied.size).toBeGreaterThan(last);
          last = copied.size;
        }
      } finally {
        isOver = true;
        await Promise.all(writers);
      }
      // It was written all the while.
      expect(MESSAGES + acknowledged.size).toBeGreaterThan(last);
    },
    BACKUPS * 60_000,
  );
});

/** Opens a backup as the program does, and looks at it with SQLite's own eyes. */
async function idsIn(file: string): Promise<ReadonlySet<string>> {
  const url = `sqlite:${file}`;
  await (await openStore({ url, mustExist: true })).close();
  const engine = openEngine({ url, mustExist: true });
  try {
    return await engine.session(async ({ kysely }) => {
      const { rows } = await sql<{ readonly integrity_check: string }>`pragma integrity_check`.execute(
        kysely,
      );
      expect(rows).toEqual([{ integrity_check: 'ok' }]);
      const found = await kysely.selectFrom('messages').select('id').execute();
      return new Set(found.map(({ id }) => id));
    });
  } finally {
    await engine.close();
  }
}
