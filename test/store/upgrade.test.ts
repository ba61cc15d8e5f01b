import { Migrator, sql } from 'kysely';

import { openEngine } from '../../src/store/open-engine';
import { migrationsFor } from '../../src/store/migrations/migrate';
import { ENGINES, useDatabase } from '../support/test-databases';

const PHONE = '+905551112233';
const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-02T10:00:00Z');
const TODAY = Math.floor(NOW / (24 * HOUR));

describe.each(ENGINES)('a store on %s that an earlier version has left', (engineName) => {
  const database = useDatabase(engineName, { holds: 'nothing' });

  /** A database as the program had it that knew the steps up to this one. */
  async function madeUpTo(step: string, statements: readonly string[]): Promise<void> {
    const engine = openEngine({ url: database.url });
    await engine.session(async ({ kysely }) => {
      const provider = { getMigrations: () => Promise.resolve(migrationsFor(engineName)) };
      const { error } = await new Migrator({ db: kysely, provider }).migrateTo(step);
      expect(error).toBeUndefined();
      for (const statement of statements) await sql.raw(statement).execute(kysely);
    });
    await engine.close();
  }

  const message = (id: string, channel: string, recipient: string, createdAt: number): string =>
    `insert into messages (id, channel, state, recipient, school, payload, dedupe_key, attempts,
        next_attempt_at, expires_at, created_at, updated_at)
      values ('${id}', '${channel}', 'sent', '${recipient}', '', null, null, 1,
        ${String(createdAt)}, ${String(createdAt)}, ${String(createdAt)}, ${String(createdAt)})`;

  it('keeps its messages, and what counts against the limits', async () => {
    await madeUpTo('0005_forgetting', [
      message('1', 'sms', PHONE, NOW),
      message('2', 'sms', '+90...33', NOW - 48 * HOUR),
      message('3', 'push', 'DEV-1', NOW),
      `insert into daily_codes (day, codes) values (${String(TODAY)}, 7)`,
    ]);
    const store = await database.open();

    const stored = await store.messages.list({ limit: 10 });
    expect(stored.map(({ id, recipient, caller }) => [id, recipient, caller])).toEqual([
      ['3', 'DEV-1', undefined],
      ['2', '+90...33', undefined],
      ['1', PHONE, undefined],
    ]);
    expect(await store.sentCodes.endingLike('05551112233', NOW - 24 * HOUR)).toMatchObject([
      { id: '1', phone: PHONE, caller: null },
    ]);
    expect(await store.sentCodes.ofDay(TODAY)).toEqual([{ caller: '', codes: 7 }]);
  });
});
