import { isErased, RETRY_RULES, nextState, type RetryRules } from '../../../src/delivery/workers/retry';
import { EXPIRED, type Outcome, reasonFor } from '../../../src/delivery/outcome';
import { MESSAGE_STATES } from '../../../src/store';

const NOW = 1_000_000;
const CREATED = NOW - 2000;
const END = NOW + 300_000;
const SECOND = 1000;
const FAILED = { code: 'provider_failing', status: 503 } as const;

interface RetryCase {
  readonly rules?: RetryRules;
  readonly attempts?: number;
  readonly expiresAt?: number;
  readonly random?: number;
}

function after(
  outcome: Outcome,
  { rules = RETRY_RULES.sms, attempts = 1, expiresAt = END, random = 0.5 }: RetryCase = {},
) {
  return nextState(outcome, { attempts, createdAt: CREATED, expiresAt }, rules, NOW, () => random);
}

describe('an attempt', () => {
  it.each<readonly [Outcome, string]>([
    [{ kind: 'sent' }, 'sent'],
    [{ kind: 'written' }, 'written'],
    [{ kind: 'refused', reason: FAILED }, 'failed'],
    [{ kind: 'dead-token', reason: { code: 'token_dead', status: 404 } }, 'failed'],
    [{ kind: 'repeated', reason: { code: 'repeated' } }, 'suppressed'],
    [EXPIRED, 'expired'],
  ])('with the outcome %j is the last: the message is %s', (outcome, state) => {
    const reason = reasonFor(outcome);
    const keepsReason = state === 'expired';
    const attempted = state !== 'expired';
    const settled = { nextAttemptAt: NOW, attempted, providerId: null, reason, keepsReason };
    expect(after(outcome)).toEqual({ state, ...settled });
    expect(after(outcome, { attempts: 99 })).toEqual({ state, ...settled });
  });

  it('accepted by the provider keeps the provider’s id', () => {
    expect(after({ kind: 'sent', providerId: 'p-1' })).toMatchObject({ state: 'sent', providerId: 'p-1' });
  });

  it('that failed is retried until the message expires', () => {
    const again = { state: 'queued', attempted: true, providerId: null, reason: FAILED, keepsReason: false };
    const failing = { kind: 'failing', reason: FAILED } as const;
    expect(after(failing)).toEqual({ ...again, nextAttemptAt: NOW + SECOND / 2 });
    expect(after(failing, { attempts: 10_000 })).toEqual({ ...again, nextAttemptAt: NOW + 10 * SECOND });
  });

  it('that exceeded the provider’s rate is repeated in the order in which messages came', () => {
    const busy = { kind: 'busy', reason: FAILED } as const;
    const again = { state: 'queued', attempted: true, providerId: null, reason: FAILED, keepsReason: false };
    expect(after(busy, { attempts: 1 })).toEqual({ ...again, nextAttemptAt: CREATED });
    expect(after(busy, { attempts: 5 })).toEqual({ ...again, nextAttemptAt: CREATED });
    // It is not the rate of all that is too much, but this one: the others need not wait behind it.
    expect(after(busy, { attempts: 6 })).toEqual({ ...again, nextAttemptAt: NOW + 10 * SECOND });
  });

  it('that lacks data waits until it expires or is woken', () => {
    expect(after({ kind: 'missing', reason: FAILED }, { attempts: 99, expiresAt: NOW + 9 })).toEqual({
      ...{ state: 'queued', nextAttemptAt: NOW + 9, attempted: true, providerId: null, reason: FAILED },
      keepsReason: false,
    });
  });

  it('with an unknown outcome is retried only if a second copy does no harm', () => {
    const unknown = { kind: 'unknown', reason: FAILED } as const;
    expect(after(unknown, { rules: RETRY_RULES.sms })).toMatchObject({ state: 'failed', reason: FAILED });
    expect(after(unknown, { rules: RETRY_RULES.push })).toMatchObject({ state: 'queued', reason: FAILED });
    expect(after(unknown, { rules: RETRY_RULES.mark })).toMatchObject({ state: 'queued', reason: FAILED });
    // The gateway recognizes a second copy.
    expect(after({ ...unknown, repeatable: true })).toMatchObject({ state: 'queued', reason: FAILED });
    expect(after({ ...unknown, repeatable: false })).toMatchObject({ state: 'failed' });
  });

  it('that was postponed does not count, and is made at its time', () => {
    expect(after({ kind: 'not-yet', until: NOW + 7 }, { attempts: 99 })).toEqual({
      ...{ state: 'queued', nextAttemptAt: NOW + 7, attempted: false, providerId: null, reason: null },
      keepsReason: true,
    });
  });
});

describe('the wait after a failed attempt', () => {
  it('is as long as requested, and at most ten minutes for a note', () => {
    const later = { kind: 'later', reason: { code: 'device_busy' } } as const;
    const wait = (retryAfterMs?: number) =>
      after({ ...later, retryAfterMs }, { rules: RETRY_RULES.push, expiresAt: NOW + 3_600_000 })
        .nextAttemptAt - NOW;
    expect([wait(), wait(60_000), wait(10 ** 12)]).toEqual([500, 60_000, 600_000]);
  });

  const failing = { kind: 'failing', reason: FAILED } as const;
  const far = NOW + 3_600_000;
  function waitMs(outcome: Outcome, tried: RetryCase): number {
    return after(outcome, { expiresAt: far, random: 0.999_999, ...tried }).nextAttemptAt - NOW;
  }

  it.each([
    ['sms', [1, 2, 4, 8, 16, 20, 20]],
    ['push', [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]],
    ['mark', [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]],
  ] as const)('is a random time up to %s: %j seconds', (channel, most) => {
    const rules = RETRY_RULES[channel];
    const waits = most.map((_, at) => waitMs(failing, { rules, attempts: at + 1 }));
    expect(waits).toEqual(most.map((seconds) => seconds * SECOND - 1));
    expect(most.map((_, at) => waitMs(failing, { rules, attempts: at + 1, random: 0 }))).toEqual(
      most.map(() => 0),
    );
  });

  it('ends when the message expires, and never lies in the past', () => {
    expect(waitMs(failing, { attempts: 9, expiresAt: NOW + 10 })).toBe(10);
    expect(waitMs(failing, { attempts: 9, expiresAt: NOW - 10 })).toBe(0);
    expect(waitMs({ kind: 'not-yet', until: NOW + 90_000 }, { expiresAt: NOW + 10 })).toBe(10);
  });
});

describe('a settled message', () => {
  it('keeps nothing of a code that was sent or has expired, and everything else', () => {
    const erased = (channel: 'sms' | 'push' | 'mark') =>
      MESSAGE_STATES.filter((state) => isErased(channel, state));
    expect(erased('sms')).toEqual(['sent', 'written', 'expired', 'suppressed']);
    expect([erased('push'), erased('mark')]).toEqual([[], []]);
  });
});
