import { CompiledQuery, sql } from 'kysely';

import { Receipts } from '../../../src/features/receipts/stored-receipts';
import type { Engine } from '../../../src/store/engine/engine';
import { compileGathered } from '../../../src/store/engine/hot-statement';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { planOf, planOfHot, statementsOf } from '../../store/queries/run-statements';

const RECEIPT = { gateway: 'g', providerId: 's7', state: 'delivered', code: null, at: 1, parts: 1 } as const;
/** Reading a whole table, on each engine. */
const FULL_SCAN = /^SCAN|Seq Scan/;

describe.each(ENGINES)('the query plan on %s', (name) => {
  const database = useDatabase(name, { per: 'block' });
  let engine: Engine;

  beforeAll(async () => {
    await database.open();
    engine = database.engine();
    await engine.session(({ kysely }) =>
      sql`insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at, expires_at,
          created_at, updated_at, provider_id, gateway, receipt)
        with recursive n (n) as (select 0 union all select n + 1 from n where n < 9999)
        select 's' || n, 'sms', 'sent', '+90...' || (n % 100), '', 1, 1, 1, 1, 1, 's' || n, 'g', 'waiting'
        from n`.execute(kysely),
    );
    // Else PostgreSQL would not know yet that the table is large.
    if (name === 'postgres') await engine.direct.kysely.executeQuery(CompiledQuery.raw('analyze'));
  });

  it.each(['record_receipt', 'has_receipt'])('for %s uses the index of receipts', async (statement) => {
    const statements = await statementsOf(engine, async (connection) => {
      const repository = (Kind: new (on: typeof connection) => unknown) => new Kind(connection);
      const receipts = new Receipts({ repository, write: (work: Write) => work({ repository }) } as never);
      // Nothing is found, and an early receipt cannot be kept outside a transaction.
      await receipts.record([RECEIPT], 1).catch(() => undefined);
    });
    const one = statements.get(statement);
    const plans = [await planOfHot(engine, one)];
    if (engine.name === 'postgres' && one !== undefined) {
      const several = compileGathered(one.statement, engine.direct.kysely);
      const calls = Array.from({ length: 50 }, () => RECEIPT);
      if (several !== undefined) plans.push(await planOf(engine, several.text, several.bind(calls)));
    }
    for (const plan of plans) {
      expect(plan.join('\n')).toContain('messages_by_provider_id');
      expect(plan.filter((step) => FULL_SCAN.test(step) && step.includes('messages'))).toEqual([]);
    }
  });
});

type Write = (transaction: { readonly repository: unknown }) => Promise<unknown>;
