// Where an entry point leads to few messages, one page has them, however many the other parts of a filter hold for.

import { sql } from 'kysely';

import { writeSchool } from '../../../scripts/harness';
import { maskedForms } from '../../../src/support/masks';
import type { DeliveryFilter, Store } from '../../../src/store';
import { MAX_LOOKED_AT } from '../../../src/store/outbox/delivery-filter';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const MANY = MAX_LOOKED_AT + 2;
const SCHOOL = 'http://school.example';
const RARE = 'http://rare.example';
const PHONE = '+905551112233';

/** Older than all others. */
const FEW = {
  'a-whole': { channel: 'sms', recipient: PHONE },
  'b-masked': { channel: 'sms', recipient: maskedForms(PHONE)[0] ?? '' },
  'c-mark': { channel: 'mark', recipient: '9A', note: 'N9', school: RARE },
  'd-push': { channel: 'push', recipient: 'D9', request_id: 'c-mark', school: RARE },
  'e-push': { channel: 'push', recipient: 'D1', reason: 'no_devices', school: SCHOOL },
} as const;

describe.each(ENGINES)('one page of messages on %s', (name) => {
  const database = useDatabase(name, { per: 'block' });
  let store: Store;

  beforeAll(async () => {
    store = await database.open();
    await store.importFolder(
      writeSchool(`${database.folder}/csv`, {
        schools: [`${RARE},School`],
        students: [`${RARE},S9,Name,Y,`],
        devices: [`D9,${RARE},S9,token,android,`],
      }),
    );
    await database.engine().session(async ({ kysely }) => {
      for (const channel of ['sms', 'push', 'mark']) {
        await sql`insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at,
            expires_at, created_at, updated_at, note, reason)
          with recursive n (n) as (select 100000 union all select n + 1 from n where n < ${99_999 + MANY})
          select 'm' || n || ${channel}, ${channel}, 'sent',
            case ${channel} when 'sms' then '+90...99' when 'push' then 'D1' else '1A' end,
            case ${channel} when 'sms' then '' else ${SCHOOL} end, 1, 1, 1, 1, 1,
            case ${channel} when 'mark' then 'N1' end, case ${channel} when 'push' then 'expired' end
          from n`.execute(kysely);
      }
      for (const [id, message] of Object.entries(FEW)) {
        const times = { next_attempt_at: 1, expires_at: 1, created_at: 1, updated_at: 1 };
        const row = { school: '', ...message, id, state: 'sent', attempts: 1, ...times };
        await kysely.insertInto('messages').values(row).execute();
      }
    });
  });

  it.each<readonly [string, DeliveryFilter, readonly (keyof typeof FEW)[]]>([
    ['list of ids', { ids: ['e-push', 'a-whole', 'none'] }, ['e-push', 'a-whole']],
    ['telephone', { phone: { number: PHONE, masked: maskedForms(PHONE) } }, ['b-masked', 'a-whole']],
    ['request', { request: 'c-mark' }, ['d-push']],
    ['student', { student: 'S9' }, ['d-push']],
    ['school', { school: RARE }, ['d-push', 'c-mark']],
    ['school, of requests', { school: RARE, channel: 'mark' }, ['c-mark']],
    ['school, of push messages', { school: RARE, channel: 'push' }, ['d-push']],
  ])('finds the few messages of a %s among many that were sent', async (_, filter, ids) => {
    const page = await store.deliveries.page({ ...filter, state: 'sent' }, 9);
    expect(page.messages.map(({ id }) => id)).toEqual(ids);
    expect(page.next).toBeUndefined();
  });

  it('finds the few messages of a period among many of a class', async () => {
    // Ids from `d0` on are later.
    const page = await store.deliveries.page({ classId: '9A', createdBefore: 0xd0_00_00_00_00_00 }, 9);
    expect(page.messages.map(({ id }) => id)).toEqual(['c-mark']);
    expect(page.next).toBeUndefined();
  });

  it.each<readonly [string, DeliveryFilter]>([
    ['school', { school: SCHOOL }],
    ['telephone', { phone: { number: '+905550000099', masked: ['+90...99'] } }],
    ['class', { classId: '1A' }],
    ['note', { note: 'N1' }],
    ['reason', { reason: 'expired' }],
    ['state and channel', { state: 'sent', channel: 'push' }],
    ['school, of requests', { school: SCHOOL, channel: 'mark' }],
  ])('is full and has a next page if many messages match: of a %s', async (_, filter) => {
    const page = await store.deliveries.page(filter, 9);
    expect(page.messages).toHaveLength(9);
    expect(page.next).toBe(page.messages.at(-1)?.id);
  });
});
