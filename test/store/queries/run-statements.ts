import { CompiledQuery } from 'kysely';

import type { Connection, Engine } from '../../../src/store/engine/engine';
import { type AnyStatement, compileStatement } from '../../../src/store/engine/hot-statement';

/** A hot statement as it was run. */
export interface RunStatement {
  readonly statement: AnyStatement;
  readonly values: unknown;
}

/** Returns the hot statements that some work runs, by their names. They are not run: each finds no rows. */
export async function statementsOf(
  engine: Engine,
  work: (connection: Connection) => Promise<unknown>,
): Promise<ReadonlyMap<string, RunStatement>> {
  const run = new Map<string, RunStatement>();
  await work({
    engine: engine.name,
    kysely: engine.direct.kysely,
    rows: (statement, values) => {
      run.set(statement.name, { statement, values });
      return Promise.resolve([]);
    },
    rowsOfAll: (statement, calls) => {
      if (calls.length > 0) run.set(statement.name, { statement, values: calls[0] });
      return Promise.resolve(calls.map(() => []));
    },
    lock: () => Promise.resolve(),
  });
  return run;
}

/** Returns the one hot statement that some work runs. */
export async function statementOf(
  engine: Engine,
  work: (connection: Connection) => Promise<unknown>,
): Promise<RunStatement> {
  const [only, ...others] = [...(await statementsOf(engine, work)).values()];
  if (only === undefined || others.length > 0) throw new Error('It runs none or several hot statements.');
  return only;
}

/** Returns the plan of a statement as it was run. */
export function planOfHot(engine: Engine, run: RunStatement | undefined): Promise<readonly string[]> {
  if (run === undefined) throw new Error('No such statement is run.');
  const { text, bind } = compileStatement(run.statement, engine.direct.kysely);
  return planOf(engine, text, bind(run.values));
}

export async function planOf(
  engine: Engine,
  text: string,
  values: readonly unknown[],
): Promise<readonly string[]> {
  const explain = engine.name === 'sqlite' ? 'explain query plan' : 'explain (costs off)';
  const { rows } = await engine.direct.kysely.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(`${explain} ${text}`, [...values]),
  );
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN']));
}
