import { Migrator, sql } from 'kysely';

import { openEngine } from '../../src/store/open-engine';
import { migrationsFor } from '../../src/store/migrations/migrate';

/** Makes a database as the program had it that knew the steps up to this one, and runs statements on it. */
export async function makeEarlierDatabase(
  url: string,
  step: string,
  statements: readonly string[],
): Promise<void> {
  const engine = openEngine({ url });
  await engine.session(async ({ kysely }) => {
    const provider = { getMigrations: () => Promise.resolve(migrationsFor(engine.name)) };
    const { error } = await new Migrator({ db: kysely, provider }).migrateTo(step);
    expect(error).toBeUndefined();
    for (const statement of statements) await sql.raw(statement).execute(kysely);
  });
  await engine.close();
}

/** Marks a database as one that a later version of the program has changed, by the step `9999_later`. */
export async function markAsLater(url: string): Promise<void> {
  const engine = openEngine({ url });
  await engine.session(({ kysely }) =>
    sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(kysely),
  );
  await engine.close();
}
