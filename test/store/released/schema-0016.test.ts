import { sql } from 'kysely';

import type { Engine } from '../../../src/store/engine/engine';
import type { Store } from '../../../src/store';
import { ENGINES } from '../../support/test-databases';
import { useReleased } from './use-released';

const SECOND = 1000;
const DAY = 24 * 3_600_000;
/** When the program had ended. */
const END = Date.parse('2026-11-23T17:06:31Z');

/** Rows of each table that the program left behind. */
const ROWS = {
  ...{ schools: 2, classes: 3, students: 5, devices: 3, exams: 1, exam_entries: 2, note_types: 1, notes: 2 },
  ...{ messages: 42, caller_codes: 0, code_traffic: 0, held_areas: 1, daily_usage: 1, erasures: 1 },
  ...{ caller_days: 2, nodes: 1, new_database: 0 },
} as const;

describe.each(ENGINES)('a database on %s of schema 0016', (engine) => {
  const { database, sms, push, deliver } = useReleased('0016', engine);

  it('keeps every row of every table as it was', async () => {
    const before = await contents(database.engine());
    expect(Object.fromEntries(before.map(({ table, rows }) => [table, rows.length]))).toMatchObject(ROWS);
    expect(before.find(({ table }) => table === 'figures')?.rows.length).toBeGreaterThan(0);
    await (await database.open()).close();
    const after = await contents(database.engine());
    expect(after.filter(({ table }) => before.some((each) => each.table === table))).toEqual(before);
  });

  it('keeps what became of each message, and which tokens are dead', async () => {
    const store = await database.open();
    expect(await states(store)).toEqual({
      ...{ 'sms sent': 31, 'sms failed': 1, 'sms queued': 1, 'sms sending': 1 },
      ...{ 'mark sent': 1, 'mark partly': 1, 'mark suppressed': 1, 'mark open': 1, 'mark queued': 1 },
      ...{ 'push sent': 1, 'push failed': 1, 'push queued': 1 },
    });
    expect(await store.devices.tokenOf('D1')).toBe('token-1');
    expect(await store.devices.tokenOf('D2')).toBe('');
    const [failed] = await store.deliveries.list({ state: 'failed', channel: 'push' }, 2);
    expect(failed).toMatchObject({ recipient: 'D2', caller: 'portal' });
    expect(await store.deliveries.attemptsOf(failed?.id ?? '')).toHaveLength(1);
  });

  it('keeps what counts against the limits, and the keys of requests', async () => {
    const store = await database.open();
    expect(await store.sentCodes.endingLike('05551112266', END - DAY)).toMatchObject([
      { phone: '+905551112266', caller: 'portal', digest: expect.any(String) as string },
    ]);
    expect(await store.codeTraffic.heldSince(END)).toMatchObject([{ area: 'n:GG:791112', caller: 'portal' }]);
    const requests = await store.messages.list({ limit: 100 });
    const key = requests.find(({ channel, state }) => channel === 'mark' && state === 'partly')?.dedupeKey;
    const resolved = (since: number) =>
      store.write(({ markRequests }) => markRequests.resolvedSince(key ?? '', since));
    expect(await resolved(END - 600 * SECOND)).toBe(true);
    expect(await resolved(END)).toBe(false);
  });

  it('has what waited delivered once, and nothing that had been', async () => {
    const store = await database.open();
    const [open] = await store.deliveries.list({ state: 'open' }, 2);
    // All attempts are due, and the lease of the worker that was killed is not over.
    const service = deliver(store, END + 60 * SECOND);
    await service.line({ channel: 'sms', state: 'sent' });
    expect(await service.ended(open?.id ?? '')).toMatchObject({ state: 'sent', pushes: 1 });
    // A code whose lease ends after its five minutes is not sent any more.
    service.now = END + 400 * SECOND;
    await service.line({ channel: 'sms', state: 'expired' });
    expect(sms().received.map(({ body }) => body)).toEqual([
      '{"to":"+491701234567","text":"Your code is 555555"}',
    ]);
    expect(push().received.map(({ body }) => body)).toEqual([
      expect.stringContaining('"token":"token-4"') as string,
    ]);
    expect(await states(store)).toEqual({
      ...{ 'sms sent': 32, 'sms failed': 1, 'sms expired': 1 },
      ...{ 'mark sent': 2, 'mark partly': 1, 'mark suppressed': 1, 'mark queued': 1 },
      ...{ 'push sent': 2, 'push failed': 1 },
    });
  });
});

/** All tables but that of the steps, by name, each with its rows in an order of their own. */
async function contents(engine: Engine) {
  const { kysely } = engine.direct;
  const tables = (await kysely.introspection.getTables()).map(({ name }) => name);
  return Promise.all(
    tables.toSorted().map(async (table) => {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(kysely);
      return { table, rows: rows.map((row) => JSON.stringify(row)).toSorted() };
    }),
  );
}

/** How many messages of each channel are in each state. */
async function states(store: Store): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { channel, state } of await store.deliveries.list({}, 100))
    counts[`${channel} ${state}`] = (counts[`${channel} ${state}`] ?? 0) + 1;
  return counts;
}
