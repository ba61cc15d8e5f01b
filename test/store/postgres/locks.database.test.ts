import { sql } from 'kysely';

import type { ForgetReport, NewMessage, Store } from '../../../src/store';
import { type Engine, takeLock } from '../../../src/store/engine/engine';
import { wakeMarkRequests } from '../../../src/store/outbox/mark-requests';
import { REQUEST_ENDS } from '../../../src/store/outbox/request-ends';
import { writeSchool } from '../../../scripts/harness';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';
import { Calendar } from '../../../src/support/calendar';

const START = Date.parse('2026-03-02T10:00:00Z');
const HOUR = 3_600_000;
const SCHOOL = 'http://a.example';
const LEASE = { owner: 'w', leaseUntil: START + HOUR };

describeOnPostgres('concurrent changes on PostgreSQL', () => {
  const database = useDatabase('postgres');
  let engine: Engine;
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    engine = database.engine();
  });

  async function waiting(): Promise<number> {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(engine.direct.kysely);
    return rows.length;
  }
  /** Resolves when somebody waits for a lock, or when the work has ended without. */
  async function untilWaitsOrEnds(work: Promise<unknown>): Promise<void> {
    const end = work.then(
      () => 'ended' as const,
      () => 'ended' as const,
    );
    while ((await Promise.race([end, waiting()])) === 0);
  }
  function enqueue(more: Partial<NewMessage>): Promise<string> {
    return store.messages.enqueue({
      ...{ channel: 'mark', recipient: '1A', school: SCHOOL, payload: { note: 'N1' }, dedupeKey: null },
      ...{ createdAt: START, expiresAt: START + 24 * HOUR, ...more },
    });
  }
  async function settle(
    on: Pick<Store, 'outbox'>,
    id: string,
    state: 'queued' | 'open' | 'failed',
    nextAttemptAt = START,
  ): Promise<void> {
    const settled = await on.outbox.settle({
      ...{ id, ...LEASE, state, nextAttemptAt, attempted: true, erase: false, now: START },
      ...{ providerId: null, reason: null },
    });
    expect(settled).toBe(true);
  }

  /** A request whose only push message failed. */
  async function withFailedPush(): Promise<{ readonly request: string; readonly push: string }> {
    const request = await enqueue({});
    const push = await enqueue({ channel: 'push', recipient: 'D1', requestId: request });
    for (const [channel, id, state] of [
      ['mark', request, 'open'],
      ['push', push, 'failed'],
    ] as const) {
      await store.outbox.claim({ ...LEASE, channel, limit: 1, now: START });
      await settle(store, id, state);
    }
    await store.write(({ markRequests }) => markRequests.resolved(request, 0, START));
    return { request, push };
  }

  it('wake the requests of a school after one of them was postponed', async () => {
    const id = await enqueue({});
    await store.outbox.claim({ ...LEASE, channel: 'mark', limit: 1, now: START });
    let loading: Promise<void> | undefined;
    await store.write(async (transaction) => {
      const named = { school: SCHOOL, classId: '1A', note: 'N1' };
      expect(await transaction.markRequests.missing(named)).toBe('school');
      loading = engine.write(async (connection) => {
        await connection.kysely.insertInto('schools').values({ base_url: SCHOOL, name: 'A' }).execute();
        await wakeMarkRequests(connection.kysely, connection.engine, START + 1);
      });
      await untilWaitsOrEnds(loading);
      await settle(transaction, id, 'queued', START + HOUR);
    });
    await loading;
    expect(await listMessages(store, 1)).toMatchObject([{ id, nextAttemptAt: START + 1 }]);
  });

  it('do not remove a message that was just retried', async () => {
    const { request, push } = await withFailedPush();
    await store.write(({ requestEnds }) => requestEnds.end([request], START));

    let removing: Promise<unknown> | undefined;
    await engine.write(async ({ kysely }) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${REQUEST_ENDS}, 0))`.execute(kysely);
      await kysely.updateTable('messages').set({ state: 'open' }).where('id', '=', request).execute();
      await kysely.updateTable('messages').set({ state: 'queued' }).where('id', '=', push).execute();
      removing = store.write(({ retention }) => retention.removeEnded('', START + HOUR, new Calendar('UTC')));
      await untilWaitsOrEnds(removing);
    });
    expect(await removing).toMatchObject({ removed: 0 });
    expect(await listMessages(store, 9)).toMatchObject([{ id: push }, { id: request }]);
  });

  it('find the current device without a token that was just disabled', async () => {
    await store.importFolder(writeSchool(`${database.folder}/before`, SMALL_SCHOOL));
    const device = 'D4,http://a.example,S1,token-4,,2026-01-02T20:00:00Z';
    const folder = writeSchool(`${database.folder}/more`, { devices: [device] });
    let importing: Promise<unknown> | undefined;
    await store.write(async ({ devices }) => {
      expect(await devices.invalidateToken('D2', 'token-2')).toBe(true);
      importing = store.importFolder(folder);
      await untilWaitsOrEnds(importing);
    });
    expect(await importing).toMatchObject({ problems: [] });
    const students = await store.students.ofSchool('http://a.example', 'Y');
    expect(students).toContainEqual(expect.objectContaining({ id: 'S1', deviceId: 'D4' }));
  });

  it('import devices only after a change to students has ended', async () => {
    await store.importFolder(writeSchool(`${database.folder}/before`, SMALL_SCHOOL));
    const devices = ['D4,http://a.example,S1,token-4,,2026-01-02T20:00:00Z'];
    const folder = writeSchool(`${database.folder}/more`, { devices });
    let importing: Promise<unknown> | undefined;
    await engine.write(async ({ kysely, engine: name }) => {
      await takeLock(kysely, name, ['students']);
      importing = store.importFolder(folder);
      await untilWaitsOrEnds(importing);
      expect(await waiting()).toBe(1);
    });
    expect(await importing).toMatchObject({ problems: [] });
  });

  it('forget a device that a student was just given', async () => {
    await store.importFolder(writeSchool(`${database.folder}/before`, SMALL_SCHOOL));
    let forgetting: Promise<ForgetReport> | undefined;
    await engine.write(async ({ kysely, engine: name }) => {
      // As an import does.
      await takeLock(kysely, name, ['devices']);
      await sql`update devices set school_id = given.school_id, student_id = given.student_id
        from devices as given where devices.id = 'D3' and given.id = 'D1'`.execute(kysely);
      const options = { dryRun: false, now: START, calendar: new Calendar('UTC') };
      forgetting = store.forget({ school: SCHOOL, student: 'S1' }, options);
      await untilWaitsOrEnds(forgetting);
    });
    expect(await forgetting).toMatchObject({ students: 1, devices: 3 });
  });

  it('see a token that was just disabled when removing devices', async () => {
    await store.importFolder(writeSchool(`${database.folder}/before`, SMALL_SCHOOL));
    const devices = SMALL_SCHOOL.devices.filter((row) => !row.startsWith('D1,'));
    const folder = writeSchool(`${database.folder}/without`, { ...SMALL_SCHOOL, devices });
    let replacing: Promise<unknown> | undefined;
    await store.write(async (transaction) => {
      expect(await transaction.devices.invalidateToken('D2', 'token-2')).toBe(true);
      replacing = store.importFolder(folder, { replace: 'even large parts' });
      await untilWaitsOrEnds(replacing);
    });
    expect(await replacing).toMatchObject({ removals: [{ file: 'devices.csv', rows: 1 }] });
    const students = await store.students.ofSchool(SCHOOL, 'Y');
    expect(students).toContainEqual(expect.objectContaining({ id: 'S1', deviceId: '' }));
  });

  it.each<readonly [string, (push: string) => Promise<unknown>, unknown]>([
    ['retried', (push) => store.deliveries.retry({ ids: [push] }, START), 1],
    [
      'deleted with a device',
      () => store.forget({ device: 'D1' }, { dryRun: false, now: START, calendar: new Calendar('UTC') }),
      expect.objectContaining({ messages: 1 }),
    ],
  ])('let no message be %s while requests are being ended', async (_what, change, changed) => {
    const { push } = await withFailedPush();
    let changing: Promise<unknown> | undefined;
    await engine.write(async ({ kysely, engine: name }) => {
      // As who ends requests does.
      await takeLock(kysely, name, [REQUEST_ENDS], 'shared');
      changing = change(push);
      await untilWaitsOrEnds(changing);
      expect(await store.deliveries.list({ channel: 'push' }, 9)).toMatchObject([
        { id: push, state: 'failed' },
      ]);
    });
    expect(await changing).toEqual(changed);
  });
});
