import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';

import type { Database } from './schema';

export type SqlValue = string | number | null;

/** Puts one of a call's values into the text of a statement, where it is called. */
export type Param<Values> = <T extends SqlValue>(read: (values: Values) => T) => RawBuilder<T>;

/**
 * A statement on a hot path: compiled once per process, prepared once per connection. Kysely costs more per
 * call than the database does for such a statement (measured on PostgreSQL: a third of the calls per second).
 */
export interface HotStatement<Values, Row extends readonly SqlValue[]> {
  /** Names the prepared statement on the server; unique in the program. */
  readonly name: string;
  readonly kind: 'read' | 'write';
  /** The answer has one row at most: SQLite's driver then makes no list. */
  readonly single?: true;
  /** What changes from call to call comes from `param` alone, and everything else is spelled out in the text. */
  readonly build: (
    db: Kysely<Database>,
    param: Param<Values>,
  ) => { compile(db: Kysely<Database>): CompiledQuery };
  /** Only a type: what a row of the answer holds, column by column. */
  readonly row?: Row;
}

export type AnyStatement = HotStatement<never, readonly SqlValue[]>;

export interface CompiledStatement {
  readonly text: string;
  /** The values of a call in the order in which the text has them. */
  readonly bind: (values: unknown) => SqlValue[];
}

/** Stands in the parameters of a compiled query for a value that each call brings. */
class Place {
  constructor(readonly read: (values: never) => SqlValue) {}
}

export function compileStatement(statement: AnyStatement, db: Kysely<Database>): CompiledStatement {
  const { sql: text, parameters } = statement.build(db, (read) => sql`${new Place(read)}`).compile(db);
  const reads = parameters.map((parameter) => {
    if (!(parameter instanceof Place))
      throw new Error(`${statement.name} holds a value that is not of the call`);
    // Connection.rows lets a statement be called with values of its own type only.
    return parameter.read as (values: unknown) => SqlValue;
  });
  return { text, bind: (values) => reads.map((read) => read(values)) };
}
