import { codeAcceptance } from '../../../src/delivery/policy/accept-code';
import { eraseExpired } from '../../../src/delivery/policy/old-messages';
import { PumpingGuard } from '../../../src/features/pumping/pumping-guard';
import { CodeTraffic } from '../../../src/features/pumping/code-traffic';
import type { Store } from '../../../src/store';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Monday. */
export const START = Date.parse('2026-08-31T00:00:00Z');

const LIMITS = { repeatMs: MINUTE, coolDownMs: 0, perTenMinutes: 5, perDay: 20, perDayOverall: 0 };

/** A service that enforces the guard, for families in Turkey. */
export function serviceOn(store: Store, enforces = true) {
  const guard = new PumpingGuard(store.repository(CodeTraffic), ['TR'], enforces);
  const accept = codeAcceptance(store, { limits: LIMITS, countries: undefined, guard }, () => undefined);
  let code = 0;
  return (phone: string, now: number, caller?: string) => {
    code += 1;
    return accept({ code: String(code), phone, caller, createdAt: now, expiresAt: now + 5 * MINUTE });
  };
}

/** Does what the worker does with codes: sends them, and forgets them a day later. */
export async function deliver(store: Store, now: number): Promise<void> {
  const lease = { channel: 'sms', owner: 'w', leaseUntil: now + 1 } as const;
  for (;;) {
    const claimed = await store.outbox.claim({ ...lease, limit: 500, now });
    if (claimed.length === 0) break;
    await Promise.all(
      claimed.map(({ id, leaseUntil }) =>
        store.outbox.settle({
          ...{ id, owner: 'w', leaseUntil, state: 'sent', nextAttemptAt: now, attempted: true, now },
          ...{ erase: true, providerId: null, reason: null },
        }),
      ),
    );
  }
  await eraseExpired(store, 0, now);
}

/** The last four digits of numbers, one after the other. */
export const four = (at: number): string => String(at % 10_000).padStart(4, '0');
