import { CompiledQuery } from 'kysely';

import { TOKEN_OF_DEVICE } from '../../../src/store/queries/devices';
import type { Engine } from '../../../src/store/engine/engine';
import { openEngine } from '../../../src/store/open-engine';
import { FORGET_CODES, FORGET_DIGESTS, FORGET_REQUESTS } from '../../../src/store/outbox/retention';
import { STUDENTS_OF_SCHOOL } from '../../../src/store/queries/students';
import { writeCsv } from '../../support/csv-folder';
import { ENGINES, type EngineName, useDatabase } from '../../support/test-databases';

const SCHOOLS = 500;
const STUDENTS = 5000;

describe.each(ENGINES)('the plan of %s', (name) => {
  const database = useDatabase(name, 'block');
  let engine: Engine;

  beforeAll(async () => {
    const store = await database.open();
    await store.importFolder(writeCsv(`${database.folder}/csv`, manyStudents()));
    engine = openEngine({ url: database.url });
    // Else PostgreSQL would not know yet that the tables are large.
    if (name === 'postgres') await engine.direct.kysely.executeQuery(CompiledQuery.raw('analyze'));
  });
  afterAll(() => engine.close());

  it.each([
    ['the token of a device', TOKEN_OF_DEVICE, ['D17']],
    ['the students of a school', STUDENTS_OF_SCHOOL, ['http://school-7.example', 'Y']],
  ] as const)('for %s looks into indexes only', async (_, statement, values) => {
    const plan = await planOf(engine, statement.build(engine.direct.kysely).compile().sql, values);
    expect(plan.length).toBeGreaterThan(0);
    expect(fullScans(plan)).toEqual([]);
    expect(plan.join('\n')).toMatch(INDEX_SEARCH[name]);
  });

  it('for a question without an index is told apart', async () => {
    const plan = await planOf(engine, `select * from students where full_name = 'x'`, []);
    expect(fullScans(plan)).not.toEqual([]);
  });

  /** SQLite calls it a scan, too, where a statement takes the rows of an inner one as they come. */
  function fullScans(plan: readonly string[]): readonly string[] {
    const inner = plan
      .filter((step) => step.startsWith('CO-ROUTINE '))
      .map((step) => step.replace('CO-ROUTINE', 'SCAN'));
    return plan.filter((step) => FULL_SCAN[name].test(step) && !inner.includes(step));
  }
});

describe('the plan of sqlite', () => {
  const database = useDatabase('sqlite', 'block');
  let engine: Engine;
  beforeAll(async () => {
    await database.open();
    engine = openEngine({ url: database.url });
  });
  afterAll(() => engine.close());

  // PostgreSQL does not look into the index of a table that is empty.
  it.each([
    ['codes', FORGET_CODES, 'messages_with_code'],
    ['digests of codes', FORGET_DIGESTS, 'messages_with_digest'],
    ['keys of requests', FORGET_REQUESTS, 'messages_with_request_key'],
  ] as const)('for the %s to be forgotten looks at nothing else', async (_, statement, index) => {
    const text = statement.build(engine.direct.kysely).compile().sql;
    const plan = await planOf(engine, text, ['1', '2']);
    expect(plan.join('\n')).toContain(`SEARCH messages USING INDEX ${index} (`);
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });
});

async function planOf(engine: Engine, text: string, values: readonly string[]): Promise<readonly string[]> {
  const explain = engine.name === 'sqlite' ? 'explain query plan' : 'explain (costs off)';
  const { rows } = await engine.direct.kysely.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(`${explain} ${text}`, [...values]),
  );
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN']));
}

const FULL_SCAN: Readonly<Record<EngineName, RegExp>> = {
  sqlite: /^SCAN/,
  postgres: /Seq Scan/,
};

const INDEX_SEARCH: Readonly<Record<EngineName, RegExp>> = {
  sqlite: /SEARCH \w+ USING .*INDEX/,
  postgres: /Index Scan|Index Cond/,
};

function manyStudents() {
  const urls = Array.from({ length: SCHOOLS }, (_, at) => `http://school-${String(at)}.example`);
  const ids = Array.from({ length: STUDENTS }, (_, at) => String(at));
  const schoolOf = (id: string) => urls[Number(id) % SCHOOLS] ?? '';
  return {
    'schools.csv': ['base_url,name', ...urls.map((url) => `${url},School`)],
    'students.csv': [
      'school_base_url,id_student,fullName,ShowActive,id_class',
      ...ids.map((id) => `${schoolOf(id)},S${id},Name ${id},${Number(id) % 3 === 0 ? 'N' : 'Y'},`),
    ],
    'devices.csv': [
      'id,school_base_url,id_student,token,platform,last_seen',
      ...ids.map((id) => `D${id},${schoolOf(id)},S${id},token-${id},android,`),
    ],
  };
}
