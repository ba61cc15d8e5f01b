import { Writable } from 'node:stream';

import { pino } from 'pino';
import { Registry } from 'prom-client';

import { DeliveryLog, DeliveryMetrics } from '../../../src/delivery/workers/delivery-log';
import { EXPIRED } from '../../../src/delivery/outcome';
import type { ClaimedMessage, Settlement } from '../../../src/store';

const NOW = 100_000;
const REJECTED = { code: 'provider_rejected', status: 400, detail: '21211' } as const;
const ASKED = {
  ...{ at: NOW, provider: 'fcm', outcome: 'sent', status: 200 },
  ...{ reason: null, milliseconds: 3, parts: null },
};
const LOGGED = { reason: 'provider_rejected', status: 400, detail: '21211' };
const MESSAGE: ClaimedMessage = {
  ...{ id: 'm-1', recipient: '+905551112233', school: '', payload: { code: '84021' }, dedupeKey: 'd' },
  ...{
    attempts: 3,
    abandoned: 0,
    gateway: null,
    createdAt: NOW - 2500,
    expiresAt: NOW + 1,
    caller: undefined,
    leaseUntil: NOW + 2,
  },
};

function settlement(more: Partial<Settlement>): Settlement {
  return {
    ...{
      id: 'm-1',
      owner: 'w',
      leaseUntil: NOW,
      state: 'sent',
      nextAttemptAt: NOW,
      attempted: true,
      erase: true,
    },
    ...{ providerId: null, reason: null, now: NOW, ...more },
  };
}

describe('the log of the delivery', () => {
  let lines: Readonly<Record<string, unknown>>[];
  let registry: Registry;
  let log: DeliveryLog;

  beforeEach(() => {
    lines = [];
    const stream = new Writable({
      write: (line: Buffer, _encoding, done) => {
        lines.push(JSON.parse(line.toString()) as Readonly<Record<string, unknown>>);
        done();
      },
    });
    registry = new Registry();
    const metrics = new DeliveryMetrics(
      registry,
      () => Promise.resolve([]),
      () => NOW,
    );
    const options = { base: null, timestamp: false, formatters: { level: (level: string) => ({ level }) } };
    log = new DeliveryLog(pino(options, stream), metrics);
  });

  it('shows what was removed and by which command', () => {
    log.oldRemoved(7);
    log.erased({ command: 'forget', removed: { messages: 3 }, at: Date.UTC(2026, 10, 22) });
    expect(lines).toMatchObject([
      {
        level: 'info',
        messages: 7,
        msg: 'removed messages older than KEEP_MESSAGES_DAYS',
      },
      {
        ...{ level: 'info', command: 'forget', removed: { messages: 3 }, at: '2026-11-22T00:00:00.000Z' },
        msg: 'a command deleted data',
      },
    ]);
  });

  it.each([
    ['sent', 'info'],
    ['suppressed', 'info'],
    ['expired', 'warn'],
    ['failed', 'warn'],
  ] as const)('shows a message that is %s at level %s, without its recipient or text', (state, level) => {
    log.settled(
      'sms',
      MESSAGE,
      { kind: 'refused', reason: REJECTED },
      settlement({ state, providerId: 'p', reason: REJECTED }),
    );
    expect(lines).toEqual([
      {
        ...{ level, messageId: 'm-1', channel: 'sms', state, attempt: 3, outcome: 'refused', ...LOGGED },
        ...{ providerId: 'p', ageMs: 2500, msg: 'message' },
      },
    ]);
  });

  it('shows how many parts an SMS was sent in', () => {
    log.settled('sms', MESSAGE, { kind: 'sent', parts: 2 }, settlement({}));
    expect(lines).toMatchObject([{ channel: 'sms', state: 'sent', parts: 2 }]);
  });

  it('shows how long a requeued message waits', () => {
    log.settled(
      'push',
      MESSAGE,
      { kind: 'busy', reason: REJECTED },
      settlement({ state: 'queued', nextAttemptAt: NOW + 7 }),
    );
    expect(lines).toEqual([
      {
        ...{ level: 'info', messageId: 'm-1', channel: 'push', state: 'queued', attempt: 3, outcome: 'busy' },
        ...{ waitMs: 7, ageMs: 2500, msg: 'message' },
      },
    ]);
  });

  it('shows once that a request became push messages, without counting it as ended', async () => {
    log.settled('mark', MESSAGE, { kind: 'resolved' }, settlement({ state: 'open' }));
    expect(lines).toMatchObject([{ level: 'info', channel: 'mark', state: 'open', outcome: 'resolved' }]);
    expect(await registry.metrics()).not.toMatch(/delivery_messages_total\{channel="mark".*\} [1-9]/);
  });

  it.each([
    ['info', 'sent', [], []],
    ['info', 'written', [], []],
    [
      'warn',
      'partly',
      [{ state: 'failed', reason: REJECTED, messages: 2 }],
      [{ state: 'failed', ...LOGGED, messages: 2 }],
    ],
    [
      'warn',
      'failed',
      [{ state: 'expired', reason: { code: 'expired' }, messages: 3 }],
      [{ state: 'expired', reason: 'expired', messages: 3 }],
    ],
  ] as const)(
    'shows at level %s that a request ended as %s, with its counts',
    async (level, state, others, reasons) => {
      const counts = [
        ...(state === 'failed'
          ? []
          : [{ state: state === 'written' ? state : 'sent', reason: null, messages: 20 } as const]),
        ...others,
      ];
      log.requestEnded({ id: 'r-1', state, counts, withoutDevice: 5, createdAt: NOW - 1500 }, NOW);
      const [failed, expired] = [state === 'partly' ? 2 : 0, state === 'failed' ? 3 : 0];
      const gone = state === 'failed' ? 0 : 20;
      const [sent, written] = state === 'written' ? [0, gone] : [gone, 0];
      expect(lines).toEqual([
        {
          ...{ level, messageId: 'r-1', state, pushes: gone + failed + expired, sent, written },
          ...{ failed, expired, suppressed: 0, withoutDevice: 5, reasons, ageMs: 1500, msg: 'mark request' },
        },
      ]);
      expect(await registry.metrics()).toContain(
        `delivery_messages_total{channel="mark",state="${state}"} 1`,
      );
    },
  );

  it('starts the counters of final states at zero, so that the first failures show as growth', async () => {
    const text = await registry.metrics();
    for (const end of ['channel="sms",state="failed"', 'channel="mark",state="partly"'])
      expect(text).toContain(`delivery_messages_total{${end}} 0`);
  });

  it('counts attempts by outcome, and messages by final state', async () => {
    log.settled('push', MESSAGE, { kind: 'busy', reason: REJECTED }, settlement({ state: 'queued' }));
    log.settled('push', MESSAGE, { kind: 'sent' }, settlement({ state: 'sent', attempt: ASKED }));
    log.settled('sms', MESSAGE, EXPIRED, settlement({ state: 'expired' }));
    const text = await registry.metrics();
    expect(text.match(/^delivery_(messages|attempts)_total\{.*\} [1-9]\d*$/gm)).toEqual([
      'delivery_messages_total{channel="sms",state="expired"} 1',
      'delivery_messages_total{channel="push",state="sent"} 1',
      'delivery_attempts_total{channel="push",outcome="busy",gateway=""} 1',
      'delivery_attempts_total{channel="push",outcome="sent",gateway="fcm"} 1',
    ]);
    // Only what was sent has an age, in seconds.
    expect(text.match(/^delivery_seconds_sum.*$/gm)).toEqual(['delivery_seconds_sum{channel="push"} 2.5']);
    expect(text).toContain('delivery_seconds_bucket{le="2",channel="push"} 0');
    expect(text).toContain('delivery_seconds_bucket{le="5",channel="push"} 1');
  });

  it('names the transports, also in the metrics', async () => {
    log.transports({ sms: 'file', push: 'fcm' });
    const text = await registry.metrics();
    expect(text).toContain('delivery_transport_info{channel="sms",transport="file"} 1');
    expect(text).toContain('delivery_attempts_total{channel="push",outcome="foreign-token",gateway="fcm"} 0');
    expect(lines).toEqual([{ level: 'info', sms: 'file', push: 'fcm', msg: 'delivery started' }]);
  });

  it.each<readonly [string, (log: DeliveryLog) => void, object]>([
    [
      'a lost lease',
      (log) => {
        log.leaseLost('sms', 'm-1');
      },
      { level: 'warn', messageId: 'm-1', channel: 'sms' },
    ],
    [
      'requeued messages of a dead worker',
      (log) => {
        log.requeued(3);
      },
      { level: 'warn', messages: 3 },
    ],
    [
      'released messages',
      (log) => {
        log.handedBack(3);
      },
      { level: 'info', messages: 3 },
    ],
    [
      'a message that made the service fail',
      (log) => {
        log.failed('push', 'm-1', new Error('x'));
      },
      {
        level: 'error',
        messageId: 'm-1',
        channel: 'push',
        err: expect.objectContaining({ message: 'x' }) as object,
      },
    ],
  ])('shows %s', (_what, tell, line) => {
    tell(log);
    expect(lines).toEqual([{ ...line, msg: expect.stringMatching(/./) as string }]);
  });

  it.each([
    ['failing', 'warn', 'provider failing, circuit opened', [1, 0]],
    ['stopped', 'error', 'gateway refuses the account, sending paused; retried once a minute', [1, 1]],
  ] as const)('shows a circuit %s and closed again, also in the metrics', async (cause, level, msg, open) => {
    const shown = async () => {
      const text = await registry.metrics();
      return ['circuit_open', 'provider_stopped'].map((name) =>
        Number(new RegExp(`^delivery_${name}\\{channel="sms"\\} (\\d)$`, 'm').exec(text)?.[1]),
      );
    };
    const line = { channel: 'sms', provider: 'gateway' };
    log.circuit('sms', 'gateway', cause);
    expect(await shown()).toEqual(open);
    log.circuit('sms', 'gateway', undefined);
    expect(await shown()).toEqual([0, 0]);
    expect(lines).toEqual([
      { ...line, level, msg },
      { ...line, level: 'info', msg: 'provider works again, circuit closed' },
    ]);
  });

  it('shows once in ten seconds that the store fails', () => {
    const clock = jest.spyOn(performance, 'now');
    for (const now of [0, 9999, 10_000, 10_001]) {
      clock.mockReturnValue(now);
      log.storeFailed('sms', new Error(String(now)));
    }
    clock.mockRestore();
    expect(lines).toMatchObject([
      { level: 'error', channel: 'sms', err: { message: '0' } },
      { level: 'error', channel: 'sms', err: { message: '10000' } },
    ]);
  });
});
