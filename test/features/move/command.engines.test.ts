import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { sql } from 'kysely';

import { openStore, SCHOOL_TABLES, type Store } from '../../../src/store';
import { RunningDelivery } from '../../delivery/running-delivery';
import { useProvider } from '../../delivery/use-provider';
import { letGoOfClosed } from '../../harness/closed-connections';
import { type EngineName, ENGINES, useDatabase } from '../../harness/test-databases';
import { runCommand } from '../../harness/run-command';
import { contents, fill, over } from './moved-database';

const WAYS: readonly (readonly [EngineName, EngineName])[] = ENGINES.includes('postgres')
  ? [
      ['sqlite', 'postgres'],
      ['postgres', 'sqlite'],
      ['postgres', 'postgres'],
    ]
  : [['sqlite', 'sqlite']];

describe.each(WAYS)('a move from %s to %s', (from, to) => {
  const inOneWay: (...test: Parameters<typeof it>) => void = (...test) => {
    if (process.env['MOVE_ALL'] !== undefined || from === 'sqlite') it(...test);
  };
  const source = useDatabase(from);
  const target = useDatabase(to, { holds: 'nothing' });
  const run = async (...args: readonly string[]) => {
    await letGoOfClosed(source.folder, target.folder);
    return runCommand('move', args, { folder: source.folder, settings: { DATABASE_URL: source.url } });
  };
  const sms = useProvider();
  const push = useProvider();

  it('copies every table and every value in it', async () => {
    await fill(source.url);
    const before = await contents(source.url);
    // The schema's own tables, whatever they are: nothing is listed anywhere.
    for (const [table, rows] of Object.entries(before))
      expect({ table, rows: rows.length > 0 }).toEqual({ table, rows: true });
    const { code, out, err } = await run('--to', target.url);
    expect([code, err]).toEqual([0, '']);
    expect(await contents(target.url)).toEqual(before);
    const listed = [...out.matchAll(/^([a-z_]+) +([\d,]+) {2}[0-9a-f]{16}$/gm)];
    expect(
      Object.fromEntries(listed.map(([, table, rows]) => [table, Number(rows?.replace(',', ''))])),
    ).toEqual(
      Object.fromEntries(
        Object.entries(before)
          .filter(([table]) => SCHOOL_TABLES.includes(table))
          .map(([table, rows]) => [table, rows.length]),
      ),
    );
    const internal = Object.entries(before).filter(([table]) => !SCHOOL_TABLES.includes(table));
    expect(out).toMatch(
      new RegExp(`^internal +${String(internal.flatMap(([, rows]) => rows).length)}$`, 'm'),
    );
    expect(out).toMatch(/^100 % of \d,\d{3} rows copied and compared, /m);
  });

  it('continues the ids that the database assigns, and sends waiting messages once', async () => {
    const NOW = Date.parse('2026-11-23T10:00:00Z');
    await withStore(source.url, async (store) => {
      await store.noLongerNew();
      await store.write(({ messages }) =>
        messages.enqueueAll(
          ['+905551112233', '+905551112244'].map((recipient) => ({
            ...{ channel: 'sms' as const, recipient, school: '', payload: { code: '1234' }, dedupeKey: null },
            ...{ createdAt: NOW, expiresAt: NOW + 300_000 },
          })),
        ),
      );
    });
    await over(source.url, ({ kysely }) =>
      sql`insert into schools (id, base_url, name) values (41, 'https://a.example', 'A')`.execute(kysely),
    );
    expect(await run('--to', target.url)).toMatchObject({ code: 0, err: '' });
    const added = await over(target.url, ({ kysely }) =>
      kysely
        .insertInto('schools')
        .values({ base_url: 'https://b.example', name: 'B' })
        .returning('id')
        .executeTakeFirst(),
    );
    expect(added).toEqual({ id: 42 });

    const store = await target.open();
    const service = new RunningDelivery(store, target, { sms: sms(), push: push() });
    service.now = NOW + 1000;
    service.delivery.start();
    await service.lines(2, { channel: 'sms', state: 'sent' });
    await service.delivery.stop(1000);
    expect(sms().received).toHaveLength(2);
    await expect(openStore({ url: source.url })).rejects.toMatchObject({
      trouble: 'moved',
      message: expect.stringMatching(
        /^The database was moved to .+ on 20\d\d-\d\d-\d\d. Set DATABASE_URL to the new one\./,
      ) as string,
    });
  });

  inOneWay('refuses a target that is not empty', async () => {
    await withStore(target.url, async (store) => {
      await store.messages.enqueue({
        ...{ channel: 'push', recipient: 'DEV-1', school: '', payload: { note: 'N1' }, dedupeKey: null },
        ...{ createdAt: 1, expiresAt: 2 },
      });
    });
    const { code, err } = await run('--to', target.url);
    expect(code).toBe(1);
    expect(err).toMatch(/ is not empty \(1 row\)\. Use an empty database\.\n$/);
  });

  it('refuses while a service runs on either database', async () => {
    for (const url of [source.url, target.url]) {
      await withStore(url, async (store) => {
        await store.ping();
        const { code, err } = await run('--to', target.url);
        expect(code).toBe(1);
        expect(err).toMatch(
          /in use by a service or another (?:program|command)\. Stop it first\. Database: /,
        );
      });
    }
    await over(source.url, ({ kysely }) =>
      kysely
        .insertInto('nodes')
        .values({ name: 'here:8080', heard_at: Date.now() - 20_000, facts: '{}' })
        .execute(),
    );
    const { code, err } = await run('--to', target.url);
    // On SQLite its locks tell that it was killed.
    expect(code).toBe(from === 'sqlite' ? 0 : 1);
    if (from === 'postgres')
      expect(err).toMatch(/^Error: The service on here:8080 was running 2\d seconds ago\. Stop it first\./);
  }, 60_000);

  inOneWay('can be undone', async () => {
    expect(await run('--undo')).toMatchObject({
      code: 0,
      out: expect.stringContaining('was not moved') as string,
    });
    expect(await run('--to', target.url)).toMatchObject({ code: 0 });
    expect(await run('--to', target.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('was moved to') as string,
    });
    expect(await run('--undo')).toMatchObject({
      code: 0,
      out: expect.stringContaining('can be used again') as string,
    });
    await withStore(source.url, (store) => store.ping());
  });
});

describe('a move', () => {
  const source = useDatabase('sqlite');

  it.each([
    [[], 'Give either --to or --undo.'],
    [['--to', 'sqlite:x.db', '--undo'], 'Give either --to or --undo.'],
    [
      ['--to', 'mysql://x'],
      'A database in memory cannot be moved. Expected for --to: sqlite:PATH or postgres://',
    ],
    [['--to', 'sqlite::memory:'], 'A database in memory cannot be moved'],
    [['--to', 'sqlite:./service.db'], 'This is already the database of DATABASE_URL.'],
  ])('refuses %j', async (args, said) => {
    const { code, err } = await runCommand('move', args, {
      folder: source.folder,
      settings: { DATABASE_URL: source.url },
    });
    expect(code).toBe(1);
    expect(err).toContain(said);
    expect(existsSync(join(source.folder, 'x.db'))).toBe(false);
  });
});

async function withStore(url: string, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore({ url });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
