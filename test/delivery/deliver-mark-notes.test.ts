import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CompiledQuery } from 'kysely';

import type { Store } from '../../src/store';
import { openEngine } from '../../src/store/open-engine';
import { runCommand } from '../harness/run-command';
import type { TestDatabase } from '../harness/test-databases';
import { START } from './running-delivery';
import { useDeliveries } from './use-deliveries';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function importByCommand(csv: string, { url, folder }: TestDatabase): Promise<unknown> {
  // That folder has no .env.
  return runCommand('import', [csv], { folder, settings: { DATABASE_URL: url } });
}

describe('the delivery with a note for a class', () => {
  const deliveries = useDeliveries('sqlite', 'sample school');
  const { database, push, make, start } = deliveries;
  let store: Store;
  beforeEach(() => {
    ({ store } = deliveries);
  });
  const message = async (id: string) => (await store.deliveries.list({ ids: [id] }, 1))[0];
  const devicesOf = async (request: string) => (await store.deliveries.list({ request }, 1000)).length;

  it('sends one push message to each device of the class', async () => {
    const service = start();
    const request = await service.sendMarks('1A', 'N1', 'http://school.example', 'portal');
    await service.line({ channel: 'mark', state: 'open' });
    const devices = await devicesOf(request);
    expect(devices).toBeGreaterThan(10);
    // They are counted under the caller of the request.
    const pushes = await store.deliveries.list({ request }, 1000);
    expect(new Set(pushes.map(({ caller }) => caller))).toEqual(new Set(['portal']));
    await service.lines(devices, { channel: 'push', state: 'sent' });
    const tokens = push().received.map(
      ({ body }) => (JSON.parse(body) as { message: { token: string } }).message.token,
    );
    expect(new Set(tokens).size).toBe(devices);
    expect(push().received).toHaveLength(devices);
    expect(service.log).not.toMatch(/sample-token|Matematik/);
  });

  it('sends them at once, without waiting for the next poll', async () => {
    const service = make();
    service.startWithOneClaim();
    await store.outbox.backlog();
    const request = await service.sendMarks();
    await service.line({ channel: 'mark', state: 'open' });
    await service.lines(await devicesOf(request), { channel: 'push', state: 'sent' });
    expect(push().received.length).toBeGreaterThan(10);
  });

  it('sends it once, however often it is requested within the window', async () => {
    const service = start();
    const request = await service.sendMarks();
    await service.line({ channel: 'mark', state: 'open' });
    const devices = await devicesOf(request);
    await service.lines(devices, { channel: 'push', state: 'sent' });
    await service.sendMarks();
    await service.line({ channel: 'mark', state: 'suppressed' });
    expect((await store.deliveries.list({ channel: 'push' }, 1000)).length).toBe(devices);
    service.pass(11 * MINUTE);
    await service.sendMarks();
    await service.lines(2 * devices, { channel: 'push', state: 'sent' });
    expect(push().received).toHaveLength(2 * devices);
  });

  it('ends a request according to its push messages, with counts and reasons', async () => {
    const service = start();
    const refused = { status: 403, body: '{"error":{"details":[{"errorCode":"SENDER_ID_MISMATCH"}]}}' };
    push().usual = refused;
    const request = await service.sendMarks();
    const pushes = await service.ended(request);
    const reason = 'sender_mismatch';
    expect(pushes).toMatchObject({
      ...{ level: 40, state: 'failed', sent: 0, expired: 0, suppressed: 0 },
      reasons: [{ state: 'failed', reason, messages: pushes.failed }],
    });
    expect(pushes.failed).toBe(pushes.pushes);
    expect(pushes.withoutDevice).toBeGreaterThan(0);
    expect(await message(request)).toMatchObject({
      ...{ state: 'failed', withoutDevice: pushes.withoutDevice },
      reason: {
        ...{ code: 'pushes_not_sent', notSent: pushes.pushes, pushes: pushes.pushes },
        ...{ first: { code: reason }, others: 0 },
      },
    });
    const [first] = await store.deliveries.list({ request }, 1);
    expect(await store.deliveries.listAttempts(first?.id ?? '')).toMatchObject([
      {
        number: 1,
        at: START,
        provider: 'fcm',
        outcome: 'foreign-token',
        status: 403,
        reason: { code: reason },
      },
    ]);

    // The cause is mended: those that did not go are sent, and nothing else.
    push().usual = ({ body }) => (body.includes('"sample-token-01"') ? refused : { status: 200 });
    push().received.splice(0);
    expect(await store.deliveries.retry({ ids: [request] }, service.now)).toBe(pushes.pushes);
    expect(await message(request)).toMatchObject({ state: 'open', reason: null });
    service.pass(0);
    await service.requests(2, request);
    expect(push().received).toHaveLength(pushes.pushes);
    expect(await message(request)).toMatchObject({
      state: 'partly',
      reason: { code: 'pushes_not_sent', notSent: 1, pushes: pushes.pushes, first: { code: reason } },
    });
    expect(service.messages.filter(({ channel }) => channel === 'mark')).toHaveLength(1);
  });

  it('ends a request for a class without devices at once, and resolves it again on a retry', async () => {
    const service = start();
    const raw = openEngine({ url: database.url });
    const put = (statement: string) =>
      raw.session(({ kysely }) => kysely.executeQuery(CompiledQuery.raw(statement)));
    await put('update devices set valid = 0');
    const request = await service.sendMarks();
    expect(await service.ended(request)).toMatchObject({
      level: 40,
      state: 'failed',
      pushes: 0,
      reasons: [],
    });
    const reason = { code: 'no_devices' };
    expect(await message(request)).toMatchObject({ state: 'failed', reason });
    await put('update devices set valid = 1');
    await raw.close();
    expect(await store.deliveries.retry({ ids: [request] }, service.now)).toBe(1);
    service.pass(0);
    const [, again] = await service.requests(2, request);
    expect(again).toMatchObject({ level: 30, state: 'sent', sent: push().received.length });
    expect(push().received.length).toBeGreaterThan(10);
  });

  it.each([
    ['school', ['1A', 'N1', 'http://elsewhere.example']],
    ['class', ['1X', 'N1', 'http://school.example']],
    ['note', ['1A', 'N9', 'http://school.example']],
  ] as const)(
    'waits for a %s that is not known, and ends as a dead letter that names it',
    async (what, names) => {
      const service = start();
      const id = await service.sendMarks(...names);
      await service.line({ state: 'queued', reason: `${what}_unknown` });
      service.pass(25 * HOUR);
      await service.line({ state: 'failed', reason: `${what}_unknown` });
      expect(await message(id)).toMatchObject({ state: 'failed', reason: { code: `${what}_unknown` } });
    },
  );

  it.each([
    ['here', (folder: string): Promise<unknown> => store.importFolder(folder)],
    ['by another process', (folder: string): Promise<unknown> => importByCommand(folder, database)],
  ])('sends it as soon as the data is loaded %s', async (_where, load) => {
    const service = make();
    // The import goes by the true time, which must not be later than ours.
    service.now = Date.now() + HOUR;
    service.delivery.start();
    await service.sendMarks('1A', 'N9');
    await service.line({ channel: 'mark', state: 'queued' });
    const csv = join(database.folder, 'csv');
    mkdirSync(csv);
    const notes = 'school_base_url,id,note_type,title,text\nhttp://school.example,N9,,New,Note\n';
    writeFileSync(join(csv, 'notes.csv'), notes);
    await load(csv);
    // It was to wait for a day, and our clock stands still: the import has ended that.
    expect(await service.line({ channel: 'mark', state: 'open' })).toMatchObject({ attempt: 2 });
  });
});
