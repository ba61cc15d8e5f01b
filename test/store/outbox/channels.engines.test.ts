import { shownRecipient } from '../../../src/admin/reports/records';
import {
  hasProvider,
  holdsCode,
  isForTelephone,
  MESSAGE_CHANNELS,
  type MessageChannel,
  type Store,
} from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const START = Date.parse('2026-03-02T10:00:00Z');
const LATER = START + 60_000;
const PHONE = '+905551112233';

/** The rules that follow from the table of channels, for each channel that there is. */
describe.each(ENGINES)('messages on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  async function failed(channel: MessageChannel, dedupeKey: string | null): Promise<void> {
    await store.messages.enqueue({
      ...{ channel, recipient: PHONE, school: '', payload: { code: '84021' }, dedupeKey },
      ...{ createdAt: START, expiresAt: START + 1 },
    });
    const claim = { channel, owner: 'w', limit: 1, now: START, leaseUntil: LATER };
    for (const { id, leaseUntil } of await store.outbox.claim(claim)) {
      await store.outbox.settle({
        ...{ id, owner: 'w', leaseUntil, state: 'failed', nextAttemptAt: START, attempted: true, now: START },
        ...{ erase: false, providerId: null, reason: null },
      });
    }
  }
  const only = async () => {
    const all = await listMessages(store, 9);
    expect(all).toHaveLength(1);
    return all[0];
  };

  it.each(MESSAGE_CHANNELS)(
    'of the channel %s have their numbers masked if those are phone numbers',
    async (channel) => {
      await failed(channel, null);
      const masked = await store.write(({ retention }) => retention.maskPhones(LATER, 9, () => '+90...33'));
      expect(masked).toBe(isForTelephone(channel) ? 1 : 0);
      expect((await only())?.recipient).toBe(isForTelephone(channel) ? '+90...33' : PHONE);
    },
  );

  it.each(MESSAGE_CHANNELS)('of the channel %s are erased if they contain codes', async (channel) => {
    await failed(channel, 'a digest');
    await store.write(({ retention }) =>
      retention.eraseExpired({ now: LATER, codesUntil: 0, requestsBefore: 0 }, 9),
    );
    expect((await only())?.payload).toEqual(holdsCode(channel) ? null : { code: '84021' });
  });

  it.each(MESSAGE_CHANNELS)(
    'of the channel %s count toward the limits if they go to phones',
    async (channel) => {
      await failed(channel, null);
      const codes = await store.write(({ sentCodes }) => sentCodes.endingLike(PHONE, 0));
      expect(codes).toHaveLength(isForTelephone(channel) ? 1 : 0);
      const [record] = await store.deliveries.list({}, 9);
      expect(record && shownRecipient(record)).toBe(isForTelephone(channel) ? '+90...33' : PHONE);
    },
  );

  it.each(MESSAGE_CHANNELS)(
    'of the channel %s are not retried after they expired if they contain codes',
    async (channel) => {
      await failed(channel, null);
      expect(await store.deliveries.retry({}, LATER)).toBe(holdsCode(channel) ? 0 : 1);
    },
  );

  it('go to a provider, or become messages that go to one', () => {
    expect(MESSAGE_CHANNELS.filter(hasProvider)).toEqual(['sms', 'push']);
  });
});
