import { CompiledQuery, sql } from 'kysely';

import { maskedForms } from '../../../src/support/masks';
import type { DeliveryFilter, PhoneFilter } from '../../../src/store';
import { conditions, questionOf } from '../../../src/store/outbox/delivery-filter';
import { STUDENTS_OF_SCHOOL, TOKEN_OF_DEVICE } from '../../../src/store/queries/students';
import {
  type AnyStatement,
  compileGathered,
  compileStatement,
} from '../../../src/store/engine/hot-statement';
import type { Engine } from '../../../src/store/engine/engine';
import { RESOLVED_SINCE } from '../../../src/store/outbox/mark-requests';
import {
  ERASE_CODES,
  ERASE_DIGESTS,
  ERASE_REQUEST_KEYS,
  WHOLE_PHONES,
} from '../../../src/store/outbox/retention';
import { OLD_MESSAGES } from '../../../src/store/outbox/removal';
import { OPEN_REQUESTS, PUSHES_OF_REQUEST } from '../../../src/store/outbox/request-ends';
import { WITH_END } from '../../../src/store/outbox/sent-codes';
import { SETTLE, type Settlement } from '../../../src/store/outbox/outbox';
import { USAGE_OF_DAY } from '../../../src/store/outbox/usage';
import { writeSchool } from '../../../scripts/harness';
import { type EngineName, ENGINES, useDatabase } from '../../harness/test-databases';

const SCHOOLS = 500;
const STUDENTS = 5000;
const phone = (number: string): PhoneFilter => ({ number, masked: maskedForms(number) });
const SETTLED: Settlement = {
  ...{ id: 's7', owner: 'w', leaseUntil: 1, state: 'sent', nextAttemptAt: 1, attempted: true, erase: true },
  ...{ providerId: null, reason: null, now: 1 },
};

describe.each(ENGINES)('the plan of %s', (name) => {
  const database = useDatabase(name, { per: 'block' });
  let engine: Engine;

  beforeAll(async () => {
    const store = await database.open();
    await store.importFolder(writeSchool(`${database.folder}/csv`, manyStudents()));
    engine = database.engine();
    await engine.session(async ({ kysely }) => {
      for (const channel of ['mark', 'push', 'sms']) await manyMessages(channel).execute(kysely);
    });
    // Else PostgreSQL would not know yet that the tables are large.
    if (name === 'postgres') await engine.direct.kysely.executeQuery(CompiledQuery.raw('analyze'));
  });

  it.each([
    ['the token of a device', TOKEN_OF_DEVICE, { id: 'D17' }],
    [
      'the students of a school',
      STUDENTS_OF_SCHOOL[name],
      { school: 'http://school-7.example', showActive: 'Y' },
    ],
  ] as const)('for %s looks into indexes only', async (_, statement, values) => {
    const plan = await planOfHot(engine, statement, values);
    expect(plan.length).toBeGreaterThan(0);
    expect(fullScans(plan)).toEqual([]);
    expect(plan.join('\n')).toMatch(INDEX_SEARCH[name]);
  });

  it.each<readonly [string, DeliveryFilter, string]>([
    ['time', { createdAfter: Date.parse('2026-03-02') }, 'messages_pkey'],
    [
      'anything that only time leads to',
      { channel: 'push', classId: '7', reason: 'expired' },
      'messages_pkey',
    ],
    ['ids', { ids: ['m7', 'p8'], state: 'failed' }, 'messages_pkey'],
    ['telephone', { phone: phone('+905551112233'), state: 'sent' }, 'messages_by_phone_end'],
    ['telephone without a country', { phone: phone('05551112233') }, 'messages_by_phone_end'],
    ['request', { request: 'm7', state: 'sent' }, 'messages_by_request'],
    ['student', { student: 'S7', school: 'http://school-7.example' }, 'pushes_by_device'],
    ['school', { school: 'http://school-7.example', state: 'failed' }, 'messages_by_school'],
    ['state', { state: 'expired', channel: 'push' }, 'messages_by_state'],
    ['what waits', { state: 'queued', channel: 'push' }, 'messages_due'],
    ['what is being sent', { state: 'sending' }, 'messages_leased'],
  ])('for messages by %s looks into the index of that alone', async (_, filter, index) => {
    const { direct } = engine;
    const question = await questionOf(direct, filter);
    const { entry, id } = question;
    for (const each of [entry, conditions(question)]) {
      const query = sql`select id from messages where ${each} order by ${id} desc limit 51`;
      const { sql: text, parameters } = query.compile(direct.kysely);
      const plan = await planOf(engine, text, parameters);
      expect(fullScans(plan).filter((step) => !step.includes(`INDEX ${index}`))).toEqual([]);
      const taken = plan.flatMap((step) => INDEX_NAME.exec(step)?.[1] ?? []);
      expect(taken.map((name) => name.replace('sqlite_autoindex_messages_1', 'messages_pkey'))).toEqual(
        filter.classId === undefined || each === entry ? [index] : [index, 'messages_pkey'],
      );
    }
  });

  it('for what came of messages looks for each by its id, however few are just being sent', async () => {
    const { kysely } = engine.direct;
    const one = compileStatement(SETTLE, kysely);
    const several = name === 'postgres' ? compileGathered(SETTLE, kysely) : undefined;
    const plans = [
      await planOf(engine, one.text, one.bind(SETTLED)),
      ...(several === undefined
        ? []
        : [await planOf(engine, several.text, several.bind([SETTLED, SETTLED]))]),
    ];
    for (const plan of plans)
      expect(plan.join('\n')).toMatch(/ (?:messages_pkey|sqlite_autoindex_messages_1) /);
  });

  it('for the codes of a telephone has no other index than that of the ends of numbers', async () => {
    const { text, bind } = compileStatement(WITH_END, engine.direct.kysely);
    const values = bind({ end: '1112233', since: 1 });
    expect((await planOf(engine, text, values)).join('\n')).toContain('messages_by_phone_end');
    // SQLite has no plans that were made while a table was small.
    if (name === 'sqlite') return;
    await engine.session(({ kysely }) => kysely.schema.dropIndex('messages_by_phone_end').execute());
    expect((await planOf(engine, text, values)).join('\n')).not.toContain('Index Cond');
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
  const database = useDatabase('sqlite', { per: 'block' });
  let engine: Engine;
  beforeAll(async () => {
    await database.open();
    engine = database.engine();
  });

  // PostgreSQL does not look into the index of a table that is empty.
  it.each([
    ['codes', ERASE_CODES, 'codes_by_age'],
    ['digests of codes', ERASE_DIGESTS, 'codes_by_age'],
    ['numbers of codes', WHOLE_PHONES, 'codes_by_age'],
    ['keys of requests', ERASE_REQUEST_KEYS, 'messages_with_request_key'],
  ] as const)('for the %s to be erased looks at nothing else', async (_, statement, index) => {
    const plan = await planOfHot(engine, statement, { until: 1, limit: 2 });
    expect(plan.join('\n')).toContain(`SEARCH messages USING INDEX ${index} (`);
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('for the students of a school looks at no row of theirs', async () => {
    const plan = await planOfHot(engine, STUDENTS_OF_SCHOOL.sqlite, { school: 's', showActive: 'Y' });
    expect(plan.filter((step) => step.includes(' students '))).toEqual([
      'SEARCH students USING COVERING INDEX students_by_flag (school_id=? AND show_active=?)',
    ]);
  });

  it('for the requests of a key looks at those alone', async () => {
    const plan = await planOfHot(engine, RESOLVED_SINCE, { dedupeKey: 'k', since: 1 });
    expect(plan).toEqual(['SEARCH messages USING INDEX requests_by_key (dedupe_key=?)']);
  });

  it('for what became of a request looks at its push messages alone', async () => {
    const plan = await planOfHot(engine, PUSHES_OF_REQUEST, { request: 'r' });
    expect(plan[0]).toBe('SEARCH messages USING INDEX messages_by_request (request_id=?)');
  });

  it('for old messages looks at those, and at the requests that they belong to', async () => {
    expect(await planOfHot(engine, OLD_MESSAGES, { after: '', until: '', endedBefore: 1 })).toEqual([
      expect.stringMatching(/^SEARCH old USING INDEX sqlite_autoindex_messages_1 \(id>\? AND id<\?\)/),
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH push USING COVERING INDEX messages_by_request (request_id=?)',
      'CORRELATED SCALAR SUBQUERY 2',
      'SEARCH request USING INDEX sqlite_autoindex_messages_1 (id=?)',
    ]);
  });

  it.each(['school', 'caller', 'nothing'] as const)(
    'for the usage of a day by %s reads that day alone',
    async (by) => {
      const plan = await planOfHot(engine, USAGE_OF_DAY[by], { day: '', from: '', to: '' });
      expect(plan.filter((step) => / (messages|daily_usage) /.test(step))).toEqual([
        'SEARCH messages USING INDEX sqlite_autoindex_messages_1 (id>? AND id<?)',
        'SEARCH daily_usage USING INDEX daily_usage_by_day (day=?)',
      ]);
    },
  );

  it('for requests without an end looks at those that have none, and at what is still to be sent of each', async () => {
    expect(await planOfHot(engine, OPEN_REQUESTS, { after: '' })).toEqual([
      'SEARCH request USING INDEX messages_by_state (state=? AND id>?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH push USING INDEX messages_by_request (request_id=?)',
    ]);
  });
});

function planOfHot(engine: Engine, statement: AnyStatement, values: unknown): Promise<readonly string[]> {
  const { text, bind } = compileStatement(statement, engine.direct.kysely);
  return planOf(engine, text, bind(values));
}

async function planOf(engine: Engine, text: string, values: readonly unknown[]): Promise<readonly string[]> {
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

/** Which index a step of a plan takes. */
const INDEX_NAME = /(?:USING (?:COVERING )?INDEX|Index (?:Only )?Scan(?: Backward)?(?: using| on)) (\w+)/;

const INDEX_SEARCH: Readonly<Record<EngineName, RegExp>> = {
  sqlite: /SEARCH \w+ USING .*INDEX/,
  postgres: /Index Scan|Index Cond/,
};

/** A tenth of them failed; each request has a push message. */
function manyMessages(channel: string) {
  return sql`insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at, expires_at,
      created_at, updated_at, request_id, note, reason)
    with recursive n (n) as (select 0 union all select n + 1 from n where n < 9999)
    select substr(${channel}, 1, 1) || n, ${channel}, case when n % 10 = 0 then 'failed' else 'sent' end,
      case ${channel} when 'sms' then '+90...' || (n % 100) when 'push' then 'D' || (n % 5000) else '' || (n % 100) end,
      case ${channel} when 'sms' then '' else 'http://school-' || (n % 500) || '.example' end, 1, 1, 1, 1, 1,
      case ${channel} when 'push' then 'm' || n end, case ${channel} when 'mark' then '' || (n % 300) end,
      case when n % 10 = 0 then 'expired' end from n`;
}

function manyStudents() {
  const urls = Array.from({ length: SCHOOLS }, (_, at) => `http://school-${String(at)}.example`);
  const ids = Array.from({ length: STUDENTS }, (_, at) => String(at));
  const schoolOf = (id: string) => urls[Number(id) % SCHOOLS] ?? '';
  return {
    schools: urls.map((url) => `${url},School`),
    students: ids.map((id) => `${schoolOf(id)},S${id},Name ${id},${Number(id) % 3 === 0 ? 'N' : 'Y'},`),
    devices: ids.map((id) => `D${id},${schoolOf(id)},S${id},token-${id},android,`),
  };
}
