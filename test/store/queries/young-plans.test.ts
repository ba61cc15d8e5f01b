import { CompiledQuery, sql } from 'kysely';

import { compileGathered, compileStatement, type Session } from '../../../src/store/engine';
import { WITH_END } from '../../../src/store/outbox/sent-codes';
import { useDatabase } from '../../support/test-databases';

/**
 * A connection of PostgreSQL keeps the plan of a statement until the server looks at the table's size again. What was
 * planned while the table was empty, when each index costs the same, is what the codes of the first minute pay for.
 */
describe('the plan that PostgreSQL makes on an empty table', () => {
  const database = useDatabase('postgres');

  it.each(['one telephone', 'several'])('for the codes of %s takes the index of the ends', async (many) => {
    await database.open();
    const engine = database.engine();
    await engine.session(async (session) => {
      await sql`analyze messages`.execute(session.kysely);
      const { text } =
        many === 'several'
          ? (compileGathered(WITH_END, session.kysely) ?? { text: '' })
          : compileStatement(WITH_END, session.kysely);
      expect(await genericPlanOf(session, text)).toContain('messages_by_phone_end');
      // And not because the server happened to prefer it to another one that costs the same.
      await sql`drop index messages_by_phone_end`.execute(session.kysely);
      expect(await genericPlanOf(session, text)).toContain('Seq Scan on messages');
    });
  });
});

/** As the short writes have it: an index wherever there is one that could be taken. */
async function genericPlanOf({ kysely }: Session, text: string): Promise<string> {
  const run = (command: string) =>
    kysely.executeQuery<Record<string, unknown>>(CompiledQuery.raw(command, []));
  await run('set plan_cache_mode = force_generic_plan');
  await run('set enable_seqscan = off');
  await run(`prepare young as ${text}`);
  const { rows } = await run(
    text.includes('unnest') ? `explain execute young('{}', '{}')` : `explain execute young('', 0)`,
  );
  await run('deallocate young');
  return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
}
