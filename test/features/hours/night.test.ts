import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CompiledQuery } from 'kysely';

import { writeSchool } from '../../../scripts/harness';
import { FEATURES } from '../../../src/features';
import type { Store } from '../../../src/store';
import { openEngine } from '../../../src/store/open-engine';
import { timeOfMessageId } from '../../../src/store/outbox/messages';
import { START } from '../../delivery/running-delivery';
import { useDeliveries } from '../../delivery/use-deliveries';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AWAKE = 'http://awake.example';
const TAKES_RECEIPTS = 'receipts' in FEATURES;

describe('the delivery while one of two schools has quiet hours', () => {
  const deliveries = useDeliveries('sqlite', 'sample school');
  const { database, sms, push, start } = deliveries;

  it('sends codes and learns their receipts, and sends each school’s notes when that school is awake', async () => {
    const { store } = deliveries;
    await store.importFolder(
      writeSchool(join(database.folder, 'awake'), {
        schools: [`${AWAKE},Awake`],
        classes: [`${AWAKE},1A,Class`],
        students: [`${AWAKE},S1,Ada,Y,1A`],
        devices: [`AWAKE-1,${AWAKE},S1,awake-token,ios,`],
        notes: [`${AWAKE},N1,1,Title,Text`],
        note_types: ['1,Written'],
      }),
    );
    const DELIVERY_FILE = join(database.folder, 'delivery.json');
    // At 10:00 UTC it is 19:00 in Tokyo, where 07:00 is 22:00 UTC.
    const schools = { 'http://school.example': { timeZone: 'Asia/Tokyo', quietHours: '18:00-07:00' } };
    writeFileSync(DELIVERY_FILE, JSON.stringify({ schools }));
    sms().usual = { status: 200, body: '{"sid":"A1"}' };
    const receipts = {
      request: { url: `${sms().url}/report/{providerIds}` },
      status: { pattern: '(?<status>\\w+)' },
      states: [{ status: 'Done', state: 'delivered' }],
    };
    const service = start({ DELIVERY_FILE }, TAKES_RECEIPTS ? { receipts } : {});
    const asleep = await service.sendMarks();
    const awake = await service.sendMarks('1A', 'N1', AWAKE);
    await service.sendCode('84021');
    const code = await service.line({ channel: 'sms', state: 'sent' });
    expect(await service.ended(awake)).toMatchObject({ pushes: 1, sent: 1 });
    await service.line({ messageId: asleep, state: 'open' });

    if (TAKES_RECEIPTS) {
      sms().next.push({ status: 200, body: 'Done' });
      // The age is that of the id, which may be ahead of a clock that was put back.
      service.now = timeOfMessageId(code.messageId) + 1;
      service.pass(MINUTE);
      await service.logged('"recorded":1');
    }
    const [sent] = await store.deliveries.list({ ids: [code.messageId] }, 1);
    expect(sent).toMatchObject(
      TAKES_RECEIPTS ? { receipt: 'delivered', receiptAt: service.now } : { receipt: null },
    );

    service.pass(START + 12 * HOUR - 1 - service.now);
    await store.outbox.backlog();
    expect(push().received).toHaveLength(1);
    service.pass(1);
    const { pushes, sent: gone } = await service.ended(asleep);
    expect(pushes).toBeGreaterThan(10);
    expect(gone).toBe(pushes);
    expect(push().received).toHaveLength(1 + pushes);
    // The code, and one request for its receipt.
    expect(sms().received.map(({ method }) => method)).toEqual(TAKES_RECEIPTS ? ['POST', 'GET'] : ['POST']);
  });
});

describe('the delivery of a note during quiet hours', () => {
  const deliveries = useDeliveries('sqlite', 'sample school');
  const { database, push, start } = deliveries;
  let store: Store;
  beforeEach(() => {
    ({ store } = deliveries);
  });

  it('waits during the school’s quiet hours, while codes do not', async () => {
    const file = join(database.folder, 'delivery.json');
    const schools = { 'HTTP://school.example/': { timeZone: 'Asia/Tokyo', quietHours: '18:00-07:00' } };
    writeFileSync(file, JSON.stringify({ schools }));
    const service = start({ DELIVERY_FILE: file }); // 10:00 UTC is 19:00 in Tokyo.
    await service.sendMarks();
    await service.line({ channel: 'mark', state: 'open' });
    await service.sendCode('1');
    await service.line({ channel: 'sms', state: 'sent' });
    expect(push().received).toEqual([]);
    service.pass(12 * HOUR - 1);
    await service.sendCode('2');
    await service.lines(2, { channel: 'sms', state: 'sent' });
    expect(push().received).toEqual([]);
    service.pass(1);
    await service.line({ channel: 'push', state: 'sent' });
  });

  it.each([
    ['token', `update devices set valid = 0`, 'device_gone'],
    ['note', `delete from notes`, 'note_removed'],
  ])('sends nothing to the provider if the %s is gone by then', async (_what, statement, reason) => {
    const service = start({ QUIET_HOURS: '08:00-12:00' }); // It is ten.
    await service.sendMarks();
    await service.line({ channel: 'mark', state: 'open' });
    const raw = openEngine({ url: database.url });
    await raw.session(({ kysely }) => kysely.executeQuery(CompiledQuery.raw(statement)));
    await raw.close();
    service.pass(2 * HOUR);
    await service.line({ channel: 'push', state: 'failed', reason });
    expect(push().received).toEqual([]);
  });

  it('ends a request whose last push messages the operator cancelled', async () => {
    const service = start({ QUIET_HOURS: '08:00-12:00' }); // It is ten.
    const request = await service.sendMarks();
    await service.line({ channel: 'mark', state: 'open' });
    const waiting = (await store.deliveries.list({ request }, 1000)).length;
    expect(await store.deliveries.cancel({ ids: [request] }, service.now)).toBe(waiting);
    service.pass(MINUTE); // Then the worker looks for unnoticed messages.
    expect(await service.ended(request)).toMatchObject({ state: 'suppressed', suppressed: waiting });
    expect(await store.deliveries.list({ ids: [request] }, 1)).toMatchObject([{ state: 'suppressed' }]);
  });
});
