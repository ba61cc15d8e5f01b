import { type Connection, takeLock } from '../../src/store/engine/engine';

/** A connection on which the calls of a statement run one after the other, and locks are taken by statements. */
export function oneByOne({
  engine,
  kysely,
  rows,
}: Pick<Connection, 'engine' | 'kysely' | 'rows'>): Connection {
  return {
    ...{ engine, kysely, rows },
    rowsOfAll: async (statement, calls) => {
      const all = [];
      for (const values of calls) all.push(await rows(statement, values));
      return all;
    },
    lock: async (names) => {
      const [first, ...others] = names.toSorted();
      if (first !== undefined) await takeLock(kysely, engine, [first, ...others]);
    },
  };
}
