import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeSchool } from '../../scripts/harness';
import { timeOfMessageId } from '../../src/store/outbox/messages';
import { START } from './running-delivery';
import { useDeliveries } from './use-deliveries';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AWAKE = 'http://awake.example';

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
    const service = start({ DELIVERY_FILE }, { receipts });
    const asleep = await service.sendMarks();
    const awake = await service.sendMarks('1A', 'N1', AWAKE);
    await service.sendCode('84021');
    const code = await service.line({ channel: 'sms', state: 'sent' });
    expect(await service.ended(awake)).toMatchObject({ pushes: 1, sent: 1 });
    await service.line({ messageId: asleep, state: 'open' });

    sms().next.push({ status: 200, body: 'Done' });
    // The age is that of the id, which may be ahead of a clock that was put back.
    service.now = timeOfMessageId(code.messageId) + 1;
    service.pass(MINUTE);
    await service.logged('"recorded":1');
    const [sent] = await store.deliveries.list({ ids: [code.messageId] }, 1);
    expect(sent).toMatchObject({ receipt: 'delivered', receiptAt: service.now });

    service.pass(START + 12 * HOUR - 1 - service.now);
    await store.outbox.backlog();
    expect(push().received).toHaveLength(1);
    service.pass(1);
    const { pushes, sent: gone } = await service.ended(asleep);
    expect(pushes).toBeGreaterThan(10);
    expect(gone).toBe(pushes);
    expect(push().received).toHaveLength(1 + pushes);
    // The code, and one request for its receipt.
    expect(sms().received.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });
});
