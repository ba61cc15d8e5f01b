import { CompiledQuery, sql } from 'kysely';

import { maskedForms } from '../../../src/support/masks';
import type { DeliveryFilter, PhoneFilter } from '../../../src/store';
import { toQuestion } from '../../../src/store/outbox/delivery-filter';
import { Students } from '../../../src/store/queries/students';
import { Devices } from '../../../src/store/queries/devices';
import { compileGathered } from '../../../src/store/engine/hot-statement';
import type { Connection, Engine } from '../../../src/store/engine/engine';
import { MarkRequests } from '../../../src/store/outbox/mark-requests';
import { Retention } from '../../../src/store/outbox/retention';
import { countPushes, RequestEnds } from '../../../src/store/outbox/request-ends';
import { readRecent } from '../../../src/store/outbox/recent';
import { SentCodes } from '../../../src/store/outbox/sent-codes';
import { Outbox, type Settlement } from '../../../src/store/outbox/outbox';
import { writeSchool } from '../../../scripts/harness';
import { type EngineName, ENGINES, useDatabase } from '../../harness/test-databases';
import { planOf, planOfHot, statementOf, statementsOf } from './run-statements';
import { Calendar } from '../../../src/support/calendar';

const UTC = new Calendar('UTC');
const SCHOOLS = 500;
const STUDENTS = 5000;
const phone = (number: string): PhoneFilter => ({ number, masked: maskedForms(number) });
const SETTLED: Settlement = {
  ...{ id: 's7', owner: 'w', leaseUntil: 1, state: 'sent', nextAttemptAt: 1, attempted: true, erase: true },
  ...{ providerId: null, reason: null, now: 1 },
};

describe.each(ENGINES)('the query plan on %s', (name) => {
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

  it.each<readonly [string, (connection: Connection) => Promise<unknown>]>([
    ['the token of a device', (connection) => new Devices(connection).tokenOf('D17')],
    [
      'the students of a school',
      (connection) => new Students(connection).ofSchool('http://school-7.example', 'Y'),
    ],
    [
      'the students of a school with ids as imported',
      (connection) => new Students(connection, true).ofSchool('http://school-7.example', 'Y'),
    ],
  ])('for %s uses only indexes', async (_, ask) => {
    const reading = [...(await statementsOf(engine, ask)).values()].filter(
      ({ statement }) => statement.name !== 'version_of_students',
    );
    expect(reading).toHaveLength(1);
    const plan = await planOfHot(engine, reading[0]);
    expect(plan.length).toBeGreaterThan(0);
    // The table of marks never has more than a few rows.
    expect(fullScans(plan).filter((step) => !step.includes(' marks'))).toEqual([]);
    expect(plan.join('\n')).toMatch(INDEX_SEARCH[name]);
  });

  it.each<readonly [string, DeliveryFilter, string]>([
    ['time', { createdAfter: Date.parse('2026-03-02') }, 'messages_pkey'],
    ['anything indexed only by time', { channel: 'push', classId: '7', reason: 'expired' }, 'messages_pkey'],
    ['ids', { ids: ['m7', 'p8'], state: 'failed' }, 'messages_pkey'],
    ['telephone', { phone: phone('+905551112233'), state: 'sent' }, 'messages_by_phone_end'],
    ['phone without a country', { phone: phone('05551112233') }, 'messages_by_phone_end'],
    ['request', { request: 'm7', state: 'sent' }, 'messages_by_request'],
    ['student', { student: 'S7', school: 'http://school-7.example' }, 'pushes_by_device'],
    ['school', { school: 'http://school-7.example', state: 'failed' }, 'messages_by_school'],
    ['state', { state: 'expired', channel: 'push' }, 'messages_by_state'],
    ['two states', { state: 'failed_or_expired', channel: 'sms' }, 'messages_by_state'],
    ['waiting state', { state: 'queued', channel: 'push' }, 'messages_due'],
    ['sending state', { state: 'sending' }, 'messages_leased'],
  ])('for messages by %s uses only the index for that', async (_, filter, index) => {
    const { direct } = engine;
    const question = await toQuestion(direct, filter);
    const { entry, all, id } = question;
    for (const each of [entry, all]) {
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

  it('for settling messages finds each by its id, however few are being sent', async () => {
    const { kysely } = engine.direct;
    const one = await statementOf(engine, (connection) => new Outbox(connection).settle(SETTLED));
    const several = name === 'postgres' ? compileGathered(one.statement, kysely) : undefined;
    const plans = [
      await planOfHot(engine, one),
      ...(several === undefined
        ? []
        : [await planOf(engine, several.text, several.bind([SETTLED, SETTLED]))]),
    ];
    for (const plan of plans)
      expect(plan.join('\n')).toMatch(/ (?:messages_pkey|sqlite_autoindex_messages_1) /);
  });

  it.each([
    ['counts', 'recent_counts', /messages_pkey|sqlite_autoindex_messages_1/],
    ['failures', 'recent_failures', /messages_by_state|messages_pkey/],
  ])('for the %s of the last day reads only the messages of that day', async (_, statement, index) => {
    const run = (await statementsOf(engine, (connection) => readRecent(connection, 1))).get(statement);
    const late = run && { ...run, values: { hour: '~', day: '~', since: '~' } };
    const plan = await planOfHot(engine, late);
    expect(fullScans(plan)).toEqual([]);
    expect(plan.join('\n')).toMatch(index);
  });

  it('for the codes of a phone has no index but that of number endings', async () => {
    const codes = await statementOf(engine, (connection) =>
      new SentCodes(connection).endingLike('+905551112233', 1),
    );
    expect((await planOfHot(engine, codes)).join('\n')).toContain('messages_by_phone_end');
    // SQLite has no plans that were made while a table was small.
    if (name === 'sqlite') return;
    await engine.session(({ kysely }) => kysely.schema.dropIndex('messages_by_phone_end').execute());
    expect((await planOfHot(engine, codes)).join('\n')).not.toContain('Index Cond');
  });

  it('for a query without an index is recognized', async () => {
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

describe('the query plan on sqlite', () => {
  const database = useDatabase('sqlite', { per: 'block' });
  let engine: Engine;
  beforeAll(async () => {
    await database.open();
    engine = database.engine();
  });
  const planFor = async (ask: (connection: Connection) => Promise<unknown>): Promise<readonly string[]> =>
    planOfHot(engine, await statementOf(engine, ask));

  // PostgreSQL does not look into the index of a table that is empty.
  it.each([
    ['codes', 'erase_codes', 'codes_by_age'],
    ['digests of codes', 'erase_digests', 'codes_by_age'],
    ['numbers of codes', 'whole_phones', 'codes_by_age'],
    ['keys of requests', 'erase_request_keys', 'messages_with_request_key'],
  ] as const)('for erasing %s reads nothing else', async (_, name, index) => {
    const statements = await statementsOf(engine, async (connection) => {
      const retention = new Retention(connection);
      await retention.eraseExpired({ now: 1, codesUntil: 1, requestsBefore: 1 }, 2);
      await retention.maskPhones(1, 2, () => '');
    });
    const plan = await planOfHot(engine, statements.get(name));
    expect(plan.join('\n')).toContain(`SEARCH messages USING INDEX ${index} (`);
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('for the students of a school reads none of their rows', async () => {
    const statements = await statementsOf(engine, (connection) =>
      new Students(connection).ofSchool('s', 'Y'),
    );
    const plan = await planOfHot(engine, statements.get('students_of_school'));
    expect(plan.filter((step) => step.includes(' students '))).toEqual([
      'SEARCH students USING COVERING INDEX students_by_flag (school_id=? AND show_active=?)',
    ]);
  });

  it('for the requests with a key reads only those', async () => {
    const plan = await planFor((connection) => new MarkRequests(connection).resolvedSince('k', 1));
    expect(plan).toEqual(['SEARCH messages USING INDEX requests_by_key (dedupe_key=?)']);
  });

  it('for the result of a request reads only its push messages', async () => {
    const plan = await planFor((connection) => countPushes(connection, 'r'));
    expect(plan[0]).toBe('SEARCH messages USING INDEX messages_by_request (request_id=?)');
  });

  it('for old messages reads only those, and the requests to which they belong', async () => {
    const removal = (connection: Connection) => new Retention(connection).removeEnded('', 1, UTC);
    expect(await planFor(removal)).toEqual([
      expect.stringMatching(/^SEARCH old USING INDEX sqlite_autoindex_messages_1 \(id>\? AND id<\?\)/),
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH push USING COVERING INDEX messages_by_request (request_id=?)',
      'CORRELATED SCALAR SUBQUERY 2',
      'SEARCH request USING INDEX sqlite_autoindex_messages_1 (id=?)',
    ]);
  });

  it('for unfinished requests reads only those, and the unsent messages of each', async () => {
    expect(await planFor((connection) => new RequestEnds(connection).openAfter(''))).toEqual([
      'SEARCH request USING INDEX messages_by_state (state=? AND id>?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH push USING INDEX messages_by_request (request_id=?)',
    ]);
  });
});

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
