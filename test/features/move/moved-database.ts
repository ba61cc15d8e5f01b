import { sql } from 'kysely';

import type { DatabaseSession } from '../../../src/store/engine/engine';
import { openEngine } from '../../../src/store/open-engine';

/** Number of messages that `fill` adds: more than a move reads at once. */
export const MESSAGES = 1201;

/** Does something behind the back of the store, and leaves nothing open. */
export async function over<T>(url: string, work: (session: DatabaseSession) => Promise<T>): Promise<T> {
  const engine = openEngine({ url });
  const result = await engine.session(work);
  await engine.close();
  return result;
}

export async function tableNames({ kysely }: DatabaseSession): Promise<readonly string[]> {
  const tables = await kysely.introspection.getTables();
  return [...new Set(tables.map(({ name }) => name))].toSorted();
}

/** Everything that a database holds but for who was moved where. */
export function contents(url: string): Promise<Readonly<Record<string, readonly string[]>>> {
  return over(url, async (session) => {
    const tables: Record<string, readonly string[]> = {};
    for (const name of await tableNames(session)) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
        session.kysely,
      );
      tables[name] = rows
        .filter((row) => name !== 'marks' || row['name'] !== 'moved')
        .map((row) => JSON.stringify(Object.entries(row).toSorted()))
        .toSorted();
    }
    return tables;
  });
}

/** Puts something into each table there is, and more into one than is read at once. */
export function fill(url: string): Promise<void> {
  return over(url, async (session) => {
    const { kysely } = session;
    const tables = await kysely.introspection.getTables();
    const order = ['schools', 'classes', 'students', 'exams', 'note_types'];
    const late = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
    await sql`delete from new_database`.execute(kysely);
    const done = new Set<string>();
    for (const { name, columns } of tables.toSorted((one, other) => late(one.name) - late(other.name))) {
      if (done.has(name)) continue;
      done.add(name);
      // The same everywhere: so each row refers to one that is there.
      const values = columns.map(({ dataType }) => (/int/i.test(dataType) ? sql`1` : sql`'x'`));
      const names = columns.map((column) => sql.ref(column.name));
      await sql`insert into ${sql.table(name)} (${sql.join(names)}) values (${sql.join(values)})`.execute(
        kysely,
      );
    }
    const strange = ['', 'ä', 'Z', 'z', '😀', "a'b", 'line\nend', '￿', '\u001f'];
    const rows = Array.from({ length: MESSAGES }, (_, at) => {
      const id = `${strange[at % strange.length] ?? ''}${String(at)}`;
      return [
        id,
        'mark',
        'sent',
        strange[at % 7] ?? null,
        '',
        at % 3 === 0 ? null : '{"note":"N"}',
        1,
        1,
        1_700_000_000_000 + at,
        1,
        1,
      ];
    });
    const columns = [
      'id',
      'channel',
      'state',
      'recipient',
      'school',
      'payload',
      'attempts',
      'next_attempt_at',
      'expires_at',
      'created_at',
      'updated_at',
    ];
    const typed = columns.map((name, at) => ({
      name,
      type: at > 5 ? ('integer' as const) : ('text' as const),
    }));
    await session.insertRows('messages', typed, rows);
  });
}
