import { loadConfig, proxyOptions } from '../../../src/config';
import type { PushMessage, SmsMessage, Transport } from '../../../src/delivery/transports/transport';
import type { FakeProvider } from '../../../scripts/harness/delivery';
import { type Outcome, reasonFor } from '../../../src/delivery/outcome';

/** How requests leave where no proxy is set. */
export const NO_PROXY = proxyOptions(loadConfig({}));

/** A gateway that takes JSON. */
/** Whatever a message may hold that a transport could trip over. */
const AWKWARD = 'İşçi "1" \\ </b> & %s ${x} {phone} 🎓 مرحبا\nline two';

export const SMS: SmsMessage = {
  id: 'message-1',
  phone: '+905551112233',
  text: 'Your code is 84021',
  lifeMs: 60_000,
};
export const AWKWARD_SMS: SmsMessage = { ...SMS, text: AWKWARD };
export const PUSH: PushMessage = {
  id: 'message-1',
  token: 'device-token-1',
  platform: 'android',
  title: 'A mark',
  body: 'A note was published.',
  data: { school: 'http://school.example', note: 'N1' },
  lifeMs: 3_600_500,
  expiresAt: Date.parse('2026-03-02T10:00:00.500Z'),
};
export const AWKWARD_PUSH: PushMessage = { ...PUSH, title: AWKWARD, body: AWKWARD.repeat(200) };

/** Tests what must hold for a transport of any kind, given a provider that takes everything. */
export function describeTransport<Message extends { readonly id: string }>(
  make: () => Transport<Message>,
  [plain, awkward]: readonly [Message, Message],
  success: Outcome['kind'] = 'sent',
): void {
  describe('as any transport', () => {
    let transport: Transport<Message>;
    beforeEach(() => {
      transport = make();
    });
    afterEach(() => transport.close());

    it('has a name', () => {
      expect(transport.name).toMatch(/^[a-z]+$/);
    });

    it.each([
      ['a plain message', plain],
      ['any characters', awkward],
    ])('sends %s', async (_what, message) => {
      expect(await transport.send(message, new AbortController().signal)).toMatchObject({ kind: success });
    });

    it('sends many at once', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          transport.send({ ...plain, id: `m${String(at)}` }, new AbortController().signal),
        ),
      );
      expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => success));
    });
  });
}

/** Waits for an answer however long it takes, but for one that never comes only until the provider was asked. */
export function patience(provider: FakeProvider): AbortSignal {
  const waiting = new AbortController();
  const asked = provider.received.length + 1;
  if (provider.next[0] === 'never answers') {
    void provider.receives(asked).then(() => {
      waiting.abort();
    });
  }
  return waiting.signal;
}

/** An outcome's reason may be logged: nothing of the message may be in it. */
export function expectNoPersonalData(outcome: Outcome): void {
  const reason = JSON.stringify(reasonFor(outcome));
  for (const secret of [SMS.phone, '905551112233', '84021', PUSH.token, PUSH.body]) {
    expect(reason).not.toContain(secret);
  }
}
