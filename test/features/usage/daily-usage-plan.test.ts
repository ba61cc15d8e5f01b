import { DailyUsage } from '../../../src/features/usage/daily-usage';
import { Calendar } from '../../../src/support/calendar';
import { useDatabase } from '../../harness/test-databases';
import { planOfHot, statementOf } from '../../store/queries/run-statements';

describe('the query plan', () => {
  const database = useDatabase('sqlite');

  it.each(['school', 'caller', 'nothing'] as const)(
    'for the usage of a day by %s reads only that day',
    async (by) => {
      await database.open();
      const engine = database.engine();
      const run = await statementOf(engine, (connection) =>
        new DailyUsage(connection).ofDay(new Calendar('UTC'), '2026-03-02', by),
      );
      const plan = await planOfHot(engine, run);
      expect(plan.filter((step) => / (messages|daily_usage) /.test(step))).toEqual([
        'SEARCH messages USING INDEX sqlite_autoindex_messages_1 (id>? AND id<?)',
        'SEARCH daily_usage USING INDEX daily_usage_by_day (day=?)',
      ]);
    },
  );
});
