import { CompiledQuery, sql } from 'kysely';

import { compileGathered, compileStatement } from '../../../src/store/engine/hot-statement';
import type { DatabaseSession } from '../../../src/store/engine/engine';
import { SentCodes } from '../../../src/store/outbox/sent-codes';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';
import { statementOf } from './run-statements';

/**
 * A connection of PostgreSQL keeps the plan of a statement until the server looks at the table's size again. What was
 * planned while the table was empty, when each index costs the same, is what the codes of the first minute pay for.
 */
describeOnPostgres('the plan that PostgreSQL makes on an empty table', () => {
  const database = useDatabase('postgres');

  it.each([
    ['one telephone', compileStatement, `'', 0`],
    ['several', compileGathered, `'{}', '{}'`],
  ] as const)('for the codes of %s uses the index of number endings', async (_, compile, values) => {
    await database.open();
    const engine = database.engine();
    const { statement } = await statementOf(engine, (connection) =>
      new SentCodes(connection).endingLike('+905551112233', 1),
    );
    await engine.session(async (session) => {
      await sql`analyze messages`.execute(session.kysely);
      const text = String(compile(statement, session.kysely)?.text);
      expect(await genericPlanOf(session, text, values)).toContain('messages_by_phone_end');
      // And not because the server happened to prefer it to another one that costs the same.
      await sql`drop index messages_by_phone_end`.execute(session.kysely);
      expect(await genericPlanOf(session, text, values)).toContain('Seq Scan on messages');
    });
  });
});

/** As the short writes have it: an index wherever there is one that could be taken. */
async function genericPlanOf({ kysely }: DatabaseSession, text: string, values: string): Promise<string> {
  const run = (command: string) =>
    kysely.executeQuery<Record<string, unknown>>(CompiledQuery.raw(command, []));
  await run('set plan_cache_mode = force_generic_plan');
  await run('set enable_seqscan = off');
  await run(`prepare young as ${text}`);
  const { rows } = await run(`explain execute young(${values})`);
  await run('deallocate young');
  return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
}
