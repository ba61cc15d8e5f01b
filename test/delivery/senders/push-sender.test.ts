import { LostLease } from '../../../src/delivery/workers/channel-worker';
import { EXPIRED, type Outcome } from '../../../src/delivery/outcome';
import { pushSender } from '../../../src/delivery/senders/push-sender';
import type { PushMessage } from '../../../src/delivery/transports/transport';
import { Wording } from '../../../src/delivery/wording';
import type { ClaimedMessage, Store } from '../../../src/store';

const NIGHT = 1000;
const MORNING = 2000;
const END = 3000;
const LEASE_LOST = 4000;
const CONTENT = { token: 't', platform: 'android', note: 'N1', title: 'A', text: 'B' };
const MESSAGE: ClaimedMessage = {
  ...{
    id: 'm',
    recipient: 'D1',
    school: 'http://a.example',
    payload: { note: 'N1' },
    dedupeKey: null,
    caller: undefined,
  },
  ...{ attempts: 1, abandoned: 0, gateway: null, createdAt: 0, expiresAt: END, leaseUntil: LEASE_LOST },
};

describe('a push message', () => {
  let now: number;
  /** How long the store takes to say what is in the message. */
  let readMs: number;
  let sent: PushMessage[];
  let reads: number;

  beforeEach(() => {
    now = 0;
    readMs = 0;
    sent = [];
    reads = 0;
  });

  async function send(expiresAt = END): Promise<Outcome> {
    const store = {
      markRequests: {
        content: () => {
          reads += 1;
          now += readMs;
          return Promise.resolve(CONTENT);
        },
      },
    } as unknown as Store; // Nothing else of it is called.
    const deliver = pushSender({
      store,
      provider: {
        send: (message) => {
          sent.push(message);
          return Promise.resolve({ outcome: { kind: 'sent' } });
        },
      },
      wording: new Wording('{code}', { languages: {}, countries: {}, schools: {} }),
      notBefore: (_school, time) => (time >= NIGHT && time < MORNING ? MORNING : time),
      now: () => now,
    });
    const { outcome } = await deliver(
      { ...MESSAGE, expiresAt },
      {
        stop: new AbortController().signal,
        checkLease: () => {
          if (now >= LEASE_LOST) throw new LostLease();
        },
        settlementOf: () => {
          throw new Error('The channel worker settles it.');
        },
      },
    );
    return outcome;
  }

  it('is sent by day', async () => {
    now = 10;
    expect(await send()).toEqual({ kind: 'sent' });
    const data = { school: 'http://a.example', note: 'N1' };
    expect(sent).toMatchObject([
      { id: 'm', token: 't', title: 'A', body: 'B', data, lifeMs: END - now, expiresAt: END },
    ]);
  });

  it('says that it expired in quiet hours, where these lasted to its end', async () => {
    now = MORNING;
    const held = { cause: 'quiet' };
    expect(await send(MORNING)).toEqual({ kind: 'expired', reason: { code: 'expired', held } });
    expect(await send(NIGHT)).toEqual(EXPIRED);
  });

  it.each([
    ['at night', NIGHT, { kind: 'not-yet', until: MORNING }],
    ['after it has expired', END, EXPIRED],
  ])('is neither read nor sent %s', async (_when, time, outcome) => {
    now = time;
    expect(await send()).toEqual(outcome);
    expect([sent, reads]).toEqual([[], 0]);
  });

  it.each([
    ['night falls', NIGHT, { kind: 'not-yet', until: MORNING }],
    ['it expires', END, EXPIRED],
  ])('is not sent if %s while the store reads it', async (_what, time, outcome) => {
    readMs = time;
    expect(await send()).toEqual(outcome);
    expect(sent).toEqual([]);
  });

  it('is not sent if the store takes so long that another worker may have it', async () => {
    readMs = LEASE_LOST;
    await expect(send(LEASE_LOST + 1)).rejects.toThrow(LostLease);
    expect(sent).toEqual([]);
  });
});
