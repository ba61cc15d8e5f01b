import { sql } from 'kysely';

import {
  type AnyStatement,
  compileGathered,
  compileStatement,
  hotRead,
  hotWrite,
} from '../../../src/store/engine/hot-statement';
import { kyselyOver } from '../../simulation/kysely-over';

const db = kyselyOver(() => Promise.reject(new Error('Nothing is run.')));

const LOOK = hotRead<{ readonly id: string; readonly since: number }, readonly [id: string]>(
  'look',
  (param) => sql`select id from things
    where id = ${param(({ id }) => id)} and at > ${param.integer(({ since }) => since)}`,
);
const CHANGE = hotWrite<{ readonly id: string; readonly size: number | null }, readonly [id: string]>(
  'change',
  (param, calls) => sql`update things set size = ${param.integer(({ size }) => size)} ${calls.from}
    where id = ${param(({ id }) => id)} returning id ${calls.at}`,
  { gathers: true },
);
const ADD = hotWrite<{ readonly id: string }, readonly []>(
  'add',
  (param, calls) => sql`insert into things (id) ${calls.rows([param(({ id }) => id)])}`,
  { gathers: true },
);
const words = (text: string | undefined) => text?.replaceAll(/\s+/g, ' ').trim();

describe('a hot statement', () => {
  it.each<readonly [AnyStatement, string, unknown, readonly unknown[]]>([
    [LOOK, 'select id from things where id = ? and at > ?', { id: 'a', since: 3 }, ['a', 3]],
    [CHANGE, 'update things set size = ? where id = ? returning id', { id: 'a', size: null }, [null, 'a']],
    [ADD, 'insert into things (id) values (?)', { id: 'a' }, ['a']],
  ])('binds the values of a call in the order of its text: $name', (statement, text, values, bound) => {
    const compiled = compileStatement(statement, db);
    expect(words(compiled.text)).toBe(text);
    expect(compiled.bind(values)).toEqual(bound);
  });

  it.each<readonly [AnyStatement, string, readonly unknown[], readonly unknown[]]>([
    [
      LOOK,
      'select one.*, calls.at from unnest($1::text[], $2::bigint[]) with ordinality as calls (v1, v2, at) ' +
        'cross join lateral (select id from things where id = calls.v1 and at > calls.v2 offset 0) as one',
      [
        { id: 'a', since: 1 },
        { id: 'b', since: 2 },
      ],
      [
        ['a', 'b'],
        [1, 2],
      ],
    ],
    [
      CHANGE,
      'update things set size = calls.v1 from unnest($1::bigint[], $2::text[]) with ordinality as calls (v1, v2, at) ' +
        'where id = calls.v2 returning id , calls.at',
      [{ id: 'a', size: 1 }],
      [[1], ['a']],
    ],
    [
      ADD,
      'insert into things (id) select calls.v1 from unnest($1::text[]) with ordinality as calls (v1, at)',
      [{ id: 'a' }, { id: 'b' }],
      [['a', 'b']],
    ],
  ])('binds the values of several calls as arrays: $name', (statement, text, values, bound) => {
    const compiled = compileGathered(statement, db);
    expect(words(compiled?.text)).toBe(text);
    expect(compiled?.bind(values)).toEqual(bound);
  });

  it('has no form for several calls if they are all the same', () => {
    expect(
      compileGathered(
        hotRead('all', () => sql`select id from things`),
        db,
      ),
    ).toBe(undefined);
  });

  it.each([compileStatement, compileGathered])('contains no value of its own: %p', (compile) => {
    const statement: AnyStatement = hotRead('some', () => sql`select ${'mine'}`);
    expect(() => compile(statement, db)).toThrow('some holds a value that is not of the call');
  });
});
